import type { Clock } from '../../../../agent/clock/clock.ts'
import type { ModelFs } from '../../disk/model-fs.ts'
import type { Network } from '../../network/network.ts'
import type { ModelProcess } from '../../process.ts'
import type { Random } from '../../random.ts'
import { authorization, type CallDoor } from '../call-door.ts'
import { sync } from './game-store.ts'
import type { FileMistake, HttpMistake, Mistake } from './mistakes.ts'
import type { Quirks } from './quirks.ts'
import { writeInPlace } from './write-in-place.ts'

/** What a game server asks of its agent. */
export interface GameCall {
  readonly operation: string
  readonly input: Readonly<Record<string, unknown>>
  /** The key by which it may be repeated. A file has one always. */
  readonly id: string | undefined
}

/** What the agent answered, as both ways have it. */
export interface Told {
  readonly ok: boolean
  readonly id?: string
  /** On success: the platform's result. */
  readonly data: Readonly<Record<string, unknown>>
  readonly status?: number
  readonly code?: string
  readonly isUncertain: boolean
  /** The exact text. */
  readonly text: string
}

/** Asks the agent once. Undefined: no answer came in time. */
export type CallAgent = (call: GameCall) => Promise<Told | undefined>

/** How a transaction ended, in a terminal event or in a list of those that are over. */
export interface ToldEnd {
  readonly transactionId: number
  readonly outcome?: string | null
  /** What the agent reported and the platform accepted. */
  readonly reported?: string | null
}

/** A reply to an order, as a file. */
export interface ReplyFile {
  readonly transactionId: number
  readonly itemRef: string
}

/** Hears what a game server and its agent say to each other. */
export interface CallWitness {
  readonly onAsked: (call: GameCall) => void
  /** Somebody else asks, and nobody hears the answer. */
  readonly onUnheard: (call: GameCall) => void
  /** The agent has not answered a call over HTTP for as long as its guide says that one may take. */
  readonly onUnanswered: (call: GameCall) => void
  /** Called with every answer that the game server has read. */
  readonly onTold: (call: GameCall, told: Told) => void
  /** The agent says how a transaction ended. */
  readonly onEndTold: (end: ToldEnd) => void
  /** The game server has replied to an order by a file. */
  readonly onReplyWritten: (reply: ReplyFile) => void
  /** A reply that is awaited was gone before it was whole. */
  readonly onReplyTakenAway: (name: string) => void
  /** Called with the answer to a request that is wrong. @param id Of its file, if it was one. */
  readonly onMistakeTold: (mistake: Mistake, told: Told, id?: string) => void
  /** A file in the inbox is not an answer. */
  readonly onGarbage: (name: string) => void
}

/** As the guide says: longer than a call can take. */
const patienceMs = 40_000
/** Some game servers that write files wait this long. To ask again would hide a file that the agent has forgotten. */
const longPatienceMs = 5 * 60_000
/** As many game servers have it. */
const shortPatienceMs = 5_000
/** Some do not wait for an agent that cannot take a file. A request that it has taken is answered later. */
const momentMs = 3_000
/** A game server that reads no answers continues without them. */
const patienceWithoutReadingMs = 1_000

/** How often a game server with several agents asks the next one for no reason, as a load balancer does. */
const nextRate = 0.2

/** The platform has an `action` for these calls too. It differs from the one in a file. */
const withActions: ReadonlySet<string> = new Set(['market.adjust-stock', 'market.withdraw'])

/** Calls by `POST /call`. After a call that an agent did not answer, or could not execute, the next agent is asked. */
export function callOverHttp(
  process: ModelProcess,
  clock: Clock,
  network: Network,
  doors: readonly CallDoor[],
  quirks: Quirks,
  witness: CallWitness,
): CallAgent {
  let agent = 0
  return async (wanted) => {
    // The same may be asked by two threads at once.
    const call = { ...wanted }
    witness.onAsked(call)
    if (doors.length > 1 && process.random.happens(nextRate)) agent++
    const asked = agent
    const door = doors[asked % doors.length] as CallDoor
    const input =
      quirks.namesActions && withActions.has(call.operation) ? { action: call.operation, ...call.input } : call.input
    const body = Buffer.from(JSON.stringify({ ...call, input: inAnyOrder(input, process.random) }))
    const headers = ['host', 'localhost', 'content-type', 'application/json', ...authorization(door)]
    const { ended, giveUp } = network.send(process, door.address, { method: 'POST', path: '/call', headers, body })
    const givesUpMs = quirks.isImpatient ? shortPatienceMs : patienceMs
    const cancel = clock.after(givesUpMs, () => {
      if (givesUpMs === patienceMs) witness.onUnanswered(call)
      giveUp(new Error('no patience'))
    })
    const exchange = await ended
    cancel()
    const told =
      exchange.kind === 'answered'
        ? readTold(Buffer.from(exchange.answer.body).toString(), ({ data }) => data)
        : undefined
    if (told) witness.onTold(call, told)
    if (!told || told.status === 503) agent = asked + 1
    return told
  }
}

/** Sends what is wrong to an agent. */
export async function sendMistake(
  process: ModelProcess,
  network: Network,
  door: CallDoor,
  mistake: HttpMistake,
  witness: CallWitness,
): Promise<void> {
  const headers = [...mistake.request.headers, ...(mistake.hasRightToken ? authorization(door) : [])]
  const exchange = await network.send(process, door.address, { ...mistake.request, headers }).ended
  if (exchange.kind !== 'answered') return
  const told = readTold(Buffer.from(exchange.answer.body).toString(), () => ({}))
  if (told) witness.onMistakeTold(mistake, told)
}

/** Calls by files. Answers for which nobody waits are read and removed too. */
export interface FileCalls {
  readonly call: CallAgent
  /** Writes what is wrong. @throws {NodeJS.ErrnoException} The disk fails. */
  makeMistake(mistake: FileMistake): void
  /** Reads and removes each answer. @throws {NodeJS.ErrnoException} The disk fails. */
  readInbox(): void
}

/** What the world knows about the files that game servers write. */
export interface FileRecord {
  /** The calls by the id in the name of the file, of all processes of the game server. */
  readonly calls: Map<string, GameCall>
  /** The same of files that are wrong. */
  readonly mistakes: Map<string, Mistake>
  /** An id that no file had before. */
  newId(): string
  /** A file with this id may be in the outbox from now on. */
  onBegun(id: string): void
  /** From now on an answer is due. */
  onWritten(id: string): void
  /** It was not changed for so long that it may be refused. */
  onWrittenTooSlowly(id: string): void
  /** Its game server is about to remove it from the outbox, so no answer is due any more. */
  onTakingBack(id: string): void
  /** It is removed, and neither a power cut nor an agent brings it back. */
  onTakenBack(id: string): void
}

/** Calls by files in the outbox. */
export function callByFiles(
  process: ModelProcess,
  fs: ModelFs,
  clock: Clock,
  spool: string,
  record: FileRecord,
  quirks: Quirks,
  witness: CallWitness,
): FileCalls {
  const waiting = new Map<string, (told: Told | undefined) => void>()
  const underWay = new Set<string>()
  const writing = { process, clock, fs }
  const pathOf = (id: string) => `${spool}/outbox/${id}.json`
  const readingPatienceMs = quirks.takesBackSoon ? momentMs : process.random.pick([patienceMs, longPatienceMs])
  const isInOutbox = (id: string) => underWay.has(id) || fs.existsSync(pathOf(id))

  async function write(id: string, call: GameCall): Promise<void> {
    witness.onAsked(call)
    underWay.add(id)
    record.calls.set(id, call)
    record.onBegun(id)
    const { operation: action, input } = call
    const text = JSON.stringify(inAnyOrder({ action, ...input }, process.random))
    try {
      if (quirks.writesInPlace)
        await writeInPlace(writing, { path: pathOf(id), text, mayBeEmpty: true }, () => record.onWrittenTooSlowly(id))
      else writeWhole(id, text)
      sync(fs, `${spool}/outbox`)
    } finally {
      underWay.delete(id)
    }
    record.onWritten(id)
  }

  function writeWhole(id: string, text: string | Uint8Array): void {
    const hidden = `${spool}/outbox/.${id}`
    fs.writeFileSync(hidden, text)
    sync(fs, hidden)
    fs.renameSync(hidden, pathOf(id))
  }

  /** Writes a file again that the agent has taken: each of the two is answered. Not a stock: a newer one may have been said. */
  function repeat(id: string, { ...call }: GameCall): void {
    const isTaken = !isInOutbox(id) && !fs.existsSync(`${spool}/inbox/${id}.json`)
    if (!isTaken || 'observedQuantity' in call.input) return
    void write(id, call).catch(() => undefined)
  }

  /** Removes a request that no agent has claimed. */
  function takeBack(id: string): void {
    if (underWay.has(id) || !fs.existsSync(pathOf(id))) return
    record.onTakingBack(id)
    fs.unlinkSync(pathOf(id))
    sync(fs, `${spool}/outbox`)
    // An agent that ended while it gave the request its name back has left both names.
    const isClaimed = fs.readdirSync(`${spool}/outbox`).some((name) => name.startsWith(`${id}.json.claim-`))
    if (!isClaimed) record.onTakenBack(id)
  }

  return {
    async call(call) {
      // A second file of that name would take the place of the first.
      const id = call.id === undefined || isInOutbox(call.id) ? record.newId() : call.id
      const asked = { ...call, id }
      const { promise: answered, resolve } = Promise.withResolvers<Told | undefined>()
      // What is written in place may be answered before it is whole.
      waiting.set(id, resolve)
      await write(id, asked)
      const givesUpMs = quirks.readsNothing ? patienceWithoutReadingMs : readingPatienceMs
      const cancels = [
        clock.after(givesUpMs, () => resolve(undefined)),
        ...(quirks.isImpatient ? [clock.after(shortPatienceMs, () => repeat(id, asked))] : []),
      ]
      const told = await answered
      for (const cancel of cancels) cancel()
      if (!told && (quirks.takesBack || quirks.takesBackSoon)) takeBack(id)
      return told
    },
    makeMistake(mistake) {
      const id = record.newId()
      record.mistakes.set(id, mistake)
      record.onBegun(id)
      writeWhole(id, mistake.bytes)
      sync(fs, `${spool}/outbox`)
      record.onWritten(id)
    },
    readInbox() {
      let isOneRemoved = false
      for (const name of oldestFirst(fs.readdirSync(`${spool}/inbox`))) {
        const id = /^([\w.-]+?)\.json(?:\.unread.*)?$/.exec(name)?.[1]
        const call = record.calls.get(id ?? '')
        const mistake = record.mistakes.get(id ?? '')
        if (id === undefined || !(call ?? mistake)) continue
        const told = readTold(fs.readFileSync(`${spool}/inbox/${name}`, 'utf8'), (answer) => answer)
        fs.unlinkSync(`${spool}/inbox/${name}`)
        isOneRemoved = true
        if (!told) {
          witness.onGarbage(name)
          continue
        }
        if (mistake) witness.onMistakeTold(mistake, told, id)
        if (call) witness.onTold(call, told)
        waiting.get(id)?.(told)
        waiting.delete(id)
      }
      // Or a power cut brings them back.
      if (isOneRemoved) sync(fs, `${spool}/inbox`)
    },
  }
}

/** Answers that were set aside are older than the last one of their name. */
function oldestFirst(names: readonly string[]): string[] {
  const place = (name: string) => (name.endsWith('.json') ? `${name}~` : name)
  return names.toSorted((one, other) => (place(one) < place(other) ? -1 : 1))
}

type Json = Readonly<Record<string, unknown>>

/** The tables of some languages have no order. */
function inAnyOrder(fields: Json, random: Random): Json {
  return random.happens(0.5) ? Object.fromEntries(Object.entries(fields).toReversed()) : fields
}

/** An answer of the agent; undefined for anything else, such as a proxy's page. */
function readTold(text: string, dataOf: (answer: Json) => unknown): Told | undefined {
  let answer: Json
  try {
    answer = JSON.parse(text) as Json
  } catch {
    return undefined
  }
  const { ok, id, status, code, uncertain } = answer
  if (typeof ok !== 'boolean') return undefined
  return {
    ok,
    data: (ok ? dataOf(answer) : {}) as Json,
    isUncertain: uncertain === true,
    ...(typeof id === 'string' && { id }),
    ...(typeof status === 'number' && { status }),
    ...(typeof code === 'string' && { code }),
    text,
  }
}
