import { existsSync, type FSWatcher, mkdirSync, readdirSync, readFileSync, rmSync, watch } from 'node:fs'
import { join } from 'node:path'
import { operations, type PlatformOperationName, requestOf } from '../../contract/operations.ts'
import { type AgentHome, type AgentProcess, agentHome, processPublicKey } from '../agent/fixtures/agent-process.ts'
import { FakePlatform } from '../agent/fixtures/fake-platform.ts'
import { putRequest } from '../agent/fixtures/spool-fixture.ts'

/** One request of the game server. */
export interface Asked {
  readonly id: string
  readonly through: 'http' | 'file'
  readonly operation: PlatformOperationName
  readonly input: Readonly<Record<string, unknown>>
  /** Every answer that came, in order. */
  readonly answers: string[]
}

/** What `docs/reliability.md` promises and a crash could break, by its number there. */
export type Invariant = 'I1' | 'I2' | 'I3' | 'I4' | 'I5' | 'I6' | 'I7' | 'I9' | 'I10' | 'I11' | 'I12' | 'I13'

export interface Violation {
  readonly invariant: Invariant
  readonly what: string
}

interface AnswerFields {
  readonly ok: boolean
  readonly status?: number
  readonly uncertain?: boolean
  readonly replayed?: boolean
}

/**
 * A game server that uses both interfaces of one agent, a platform that counts what it did, and everybody's memory of
 * what was asked and answered. Agents come and go; the invariants are held against the whole.
 */
export class World implements AsyncDisposable {
  readonly platform: FakePlatform
  readonly home: AgentHome
  readonly violations: Violation[] = []
  readonly asked: Asked[] = []
  readonly outbox: string
  readonly inbox: string
  readonly #byFile = new Map<string, Asked>()
  readonly #watcher: FSWatcher

  private constructor(platform: FakePlatform) {
    this.platform = platform
    this.home = agentHome(platform.url)
    this.outbox = join(this.home.spoolDir, 'outbox')
    this.inbox = join(this.home.spoolDir, 'inbox')
    for (const dir of [this.outbox, this.inbox]) mkdirSync(dir, { recursive: true })
    this.#watcher = watch(this.inbox, (_, name) => name !== null && this.#readAndDelete(name))
  }

  static async make(): Promise<World> {
    return new World(await FakePlatform.start(processPublicKey))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watcher.close()
    await this.platform.stop()
    this.home[Symbol.dispose]()
  }

  /** Notes a request; through a file, it is put there. */
  ask(asked: Omit<Asked, 'answers'>): Asked {
    const whole: Asked = { ...asked, answers: [] }
    this.asked.push(whole)
    if (whole.through === 'file') {
      this.#byFile.set(whole.id, whole)
      putRequest(this.outbox, whole.id, { action: whole.operation, ...whole.input })
    }
    return whole
  }

  /** One HTTP call. @returns false when no answer came. */
  async callHttp(agent: AgentProcess, asked: Asked): Promise<boolean> {
    let text: string
    try {
      text = await agent.callText(asked.operation, asked.input, asked.id)
    } catch {
      return false
    }
    this.#answered(asked, text)
    return true
  }

  get unanswered(): readonly Asked[] {
    return this.asked.filter(({ answers }) => answers.length === 0)
  }

  violate(invariant: Invariant, what: string): void {
    this.violations.push({ invariant, what })
  }

  /** Checks the invariants on what is true at the end, with no agent running. */
  checkAtEnd({ isOrderKnown = true } = {}): void {
    for (const { id, through, answers } of this.asked) {
      if (answers.length === 0) this.violate('I1', `${id} is unanswered`)
      if (through === 'file' && answers.length > 1) this.violate('I3', `${id} has ${answers.length} answers`)
    }
    for (const asked of this.asked) {
      this.#checkRefusal(asked)
      if (isOnce(asked) && this.#acts(asked) > 1) this.violate('I2', `${asked.id} acted ${this.#acts(asked)} times`)
    }
    if (isOrderKnown) this.#checkOrder()
    for (const fault of this.platform.faults) this.violate('I7', fault)
    this.#checkLeftovers()
  }

  checkOutput(agent: AgentProcess): void {
    const trace = /^\s+at .*$|UnhandledPromise.*|Uncaught.*/m.exec(agent.output())
    if (trace)
      this.violate('I10', `a stack trace: ${agent.output().slice(Math.max(0, trace.index - 300), trace.index)}`)
    // Nothing here damages a database, and a person who believes it throws away what was sent.
    const accused = /.*damaged.*/.exec(agent.output())
    if (accused) this.violate('I10', `a healthy file is called damaged: ${accused[0]}`)
  }

  #answered(asked: Asked, text: string): void {
    const answer = answerOf(text)
    const [first] = asked.answers
    if (first !== undefined && withoutMark(first) !== withoutMark(text) && isKept(asked, answerOf(first))) {
      this.violate('I4', `${asked.id}: ${first.trim()} then ${text.trim()}`)
    }
    if (asked.through === 'file' && first === undefined && answer.replayed) {
      this.violate('I4', `${asked.id}: its first answer is called a replay`)
    }
    asked.answers.push(text)
    const acts = this.#acts(asked)
    const isRead = operations[asked.operation].method === 'GET'
    if (answer.ok && !isRead && acts === 0) this.violate('I5', `${asked.id} says ok and did nothing`)
    this.#checkRefusal(asked)
  }

  /** Asked when an answer comes and once more at the end, for what was refused may still be under way. */
  #checkRefusal(asked: Asked): void {
    const last = asked.answers.at(-1)
    if (last === undefined || !isOnce(asked) || this.#acts(asked) === 0) return
    const { ok, status, uncertain } = answerOf(last)
    if (!ok && !uncertain) this.violate('I5', `${asked.id} is refused with ${status}, and was done`)
  }

  /** How often the platform did what was asked. */
  #acts({ operation, input }: Asked): number {
    const { method, path, body } = requestOf(operations[operation], input)
    return this.platform.acted.get(`${method} ${path} ${body}`) ?? 0
  }

  /**
   * The platform's last value of each item is that of the last accepted observation, or of one after it of which nobody
   * knows.
   */
  #checkOrder(): void {
    const observations = this.asked.filter(({ operation }) => operation === 'market.adjust-stock')
    for (const [itemRef, calls] of Map.groupBy(observations, ({ input }) => String(input['itemRef']))) {
      const lastAccepted = calls.findLastIndex(({ answers }) => answers.some((text) => answerOf(text).ok))
      const possible = calls.slice(Math.max(0, lastAccepted)).filter((call, index) => index === 0 || isInDoubt(call))
      const shown = this.platform.stock.get(itemRef)
      if (lastAccepted >= 0 && !possible.some(({ input }) => input['observedQuantity'] === shown)) {
        this.violate(
          'I6',
          `${itemRef} is ${shown}, the last accepted call said ${possible[0]?.input['observedQuantity']}`,
        )
      }
    }
  }

  #checkLeftovers(): void {
    const unexpected = [
      ...others(this.outbox, /\.json\.rejected$/),
      ...others(this.inbox, /^$/),
      ...others(join(this.home.spoolDir, 'events'), /^$/),
      // An agent that dies between removing an event and removing its reply leaves a reply without an event.
      ...others(join(this.home.spoolDir, 'replies'), /\.json\.rejected$/),
      ...others(this.home.spoolDir, /^(?:outbox|inbox|events|replies|agent\.json|owner\.lock)$/),
      // SQLite itself leaves the shm of a journal that it looked at before it was taken over.
      ...others(this.home.stateDir, /^(?:(?:journal|orders)\.db(?:-shm)?|ballast|owner\.lock)$/),
      ...others(this.home.dir, /^(?:spool|state|signing-key\.pem|platform-public-key\.pem|report-.*)$/),
    ]
    for (const path of unexpected) this.violate('I9', `${path.slice(this.home.dir.length + 1)} is left`)
  }

  /** A reader that deletes an answer the moment it is there. */
  #readAndDelete(name: string): void {
    if (!/^[^.].*\.json$/.test(name)) return
    const path = join(this.inbox, name)
    let text: string
    try {
      text = readFileSync(path, 'utf8')
    } catch {
      // The event is that of its deletion.
      return
    }
    rmSync(path)
    const asked = this.#byFile.get(name.slice(0, -'.json'.length))
    if (asked) this.#readAnswer(asked, text)
    else this.violate('I3', `${name} answers no request`)
  }

  #readAnswer(asked: Asked, text: string): void {
    try {
      if ((JSON.parse(text) as { id: unknown }).id !== asked.id) throw new Error('another id')
      this.#answered(asked, text)
    } catch (error) {
      this.violate(
        'I3',
        `${asked.id}: an answer that cannot be read (${(error as Error).message}): ${text.slice(0, 80)}`,
      )
    }
  }
}

const answerOf = (text: string) => JSON.parse(text) as AnswerFields

/** An answer's text as its first reader would have got it. */
const withoutMark = (text: string) => text.replace(',"replayed":true', '')

/** It is not known whether it was done. */
function isInDoubt({ answers }: Asked): boolean {
  return answers.length === 0 || answers.some((text) => answerOf(text).uncertain)
}

function isOnce({ operation }: Asked): boolean {
  return operations[operation].retry === 'once'
}

/** Whether equal calls get this answer again. @see docs/decisions/0024 */
function isKept(asked: Asked, { ok, status = 0, uncertain }: AnswerFields): boolean {
  if (ok) return true
  if (uncertain) return isOnce(asked)
  return status >= 400 && status < 500 && ![401, 408, 425, 429].includes(status)
}

function others(dir: string, expected: RegExp): string[] {
  return (existsSync(dir) ? readdirSync(dir) : []).filter((name) => !expected.test(name)).map((name) => join(dir, name))
}
