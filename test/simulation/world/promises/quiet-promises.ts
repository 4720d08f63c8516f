import { ownFileOf } from '../../../../agent/spool/names.ts'
import { phaseOfRow } from '../../../../platform-stub/marketplace/transactions/moves.ts'
import type { AgentHost } from '../agent-host.ts'
import type { Day } from '../day.ts'
import type { Evening } from '../evening.ts'
import type { ModelPlatform } from '../model-platform.ts'
import type { Server } from '../server.ts'
import { isStrange } from '../strange-files.ts'
import type { Judge } from './judge.ts'
import type { LateStocks } from './late-stocks.ts'
import { Since } from './since.ts'
import { StockPromises } from './stock-promises.ts'

interface QuietParts {
  readonly judge: Judge
  readonly platform: ModelPlatform
  readonly servers: readonly Server[]
  /** Also those without a game server of their own. */
  readonly agents: readonly AgentHost[]
  /** What is left in a store that agents share; undefined if nothing is. */
  readonly leftInStore: () => Unfinished | undefined
  readonly day: Day
  readonly evening: Evening
  readonly lateStocks: LateStocks
  /** How long it takes at most until what arrived late is made good. */
  readonly stillMs: number
  readonly nowMs: () => number
}

/** Something that has not ended. */
export interface Unfinished {
  readonly promise: string
  readonly facts: string
}

/** How wrong a process is, since the host's clock was set last. */
interface ClockError {
  readonly startedMs: number
  readonly lastSetMs: number | undefined
  readonly errorMs: number
}

/** A file is answered after this time: longer than the deadlines of a call and of the one before it. */
const answerMsMax = 55_000
/** So long a file may be there: those of game servers that ask come and go. */
const fileMsMax = 20_000
const statusAgeMsMax = 30_000
/** How old a status may be when it arrives. */
const statusWayMsMax = 5_000
/** What the drift of a host's clock may add. */
const clockErrorMsMax = 100

/** When the faults are over, everything comes to its end: nothing waits for ever, and nobody is left with a wrong idea. */
export class QuietPromises {
  readonly #parts: QuietParts
  readonly #stocks: StockPromises
  /** How wrong each agent is about the platform's clock, by the name of its host. */
  readonly #clockErrors = new Map<string, ClockError>()
  /** Every transaction before it is over, for good. */
  #firstOpenId = 1
  /** The files in the spools. */
  readonly #files: Since

  constructor(parts: QuietParts) {
    this.#parts = parts
    this.#files = new Since(parts.nowMs)
    this.#stocks = new StockPromises({ ...parts, break: parts.judge.break })
  }

  /** Checks what must be true after the storm, while things still end. @returns The first thing that has not ended. */
  look(): Unfinished | undefined {
    const { agents, servers, evening } = this.#parts
    this.#stocks.look(evening.healthySinceMs)
    for (const agent of agents) {
      this.#checkClock(agent)
      agent.check()
    }
    for (const server of servers) this.#checkFiles(server)
    return this.#findUnfinished()
  }

  /** Everything has ended. */
  check(): void {
    const unfinished = this.#findUnfinished()
    if (unfinished) this.#parts.judge.break(unfinished.promise, unfinished.facts)
  }

  /** The first thing that has not ended; in the order in which they end. */
  #findUnfinished(): Unfinished | undefined {
    const { servers, agents, leftInStore, day } = this.#parts
    return (
      this.#openTransaction() ??
      firstOf(servers, openOrder) ??
      firstOf(servers, untoldEnd) ??
      firstOf(servers, unitsSetAside) ??
      this.#oldFile() ??
      firstOf(servers, (server) => this.#wrongStock(server)) ??
      firstOf(agents, (agent) => this.#wrongStatus(agent)) ??
      (day.phase === 'closed' ? leftInStore() : undefined)
    )
  }

  #openTransaction(): Unfinished | undefined {
    const { transactions } = this.#parts.platform.composed.platform.tables
    for (;;) {
      const id = this.#firstOpenId
      const row = transactions.byId(id)
      if (!row) return undefined
      const phase = phaseOfRow(row)
      if (!endedPhases.has(phase)) return { promise: 'every purchase comes to an end', facts: `${id} is ${phase}` }
      this.#firstOpenId++
    }
  }

  /** While nothing is broken, no file waits until somebody starts the agent again. */
  #checkFiles(server: Server): void {
    const { judge, agents, nowMs, evening } = this.#parts
    const gameSinceMs = this.#stocks.gameSince(server)
    if (gameSinceMs === undefined) return
    const steadySinceMs = Math.max(evening.healthySinceMs, gameSinceMs, ...agents.map(({ agent }) => agent.startedMs))
    for (const [id, sinceMs] of server.files.unanswered)
      if (nowMs() > Math.max(sinceMs, steadySinceMs) + answerMsMax)
        judge.break('no file waits for its answer until the agent is started again', `${server.name} ${id}`)
  }

  /** Each request gets its answer, and nothing stays in a spool. */
  #oldFile(): Unfinished | undefined {
    const [promise = '', facts = ''] = this.#files.look(this.#leftFiles(), fileMsMax)?.split(': ') ?? []
    return facts === '' ? undefined : { promise, facts }
  }

  *#leftFiles(): Generator<string> {
    for (const { name, files, host, addresses } of this.#parts.servers) {
      for (const id of files.unanswered.keys()) yield `every file is answered: ${name} ${id}`
      for (const dir of ['events', 'replies', 'outbox', 'inbox'])
        for (const file of host.disk.namesIn(`${addresses.spool}/${dir}`))
          if (!isLeftByGame(file) && !isStrange(`${dir}/${file}`) && !this.#mayStay(file))
            yield `no file is left: ${name} ${dir}/${file}`
    }
  }

  /** The status shows that nothing is open but what the platform does not know, and nothing is wrong. */
  #wrongStatus({ host: { name }, isStandby, lostOrders, seen: { status, atMs } }: AgentHost): Unfinished | undefined {
    if (isStandby) return undefined
    const promise = 'the status shows what is open'
    if (!status || atMs < this.#parts.nowMs() - statusAgeMsMax) return { promise, facts: `${name}: no status` }
    const { orders, calls, ready, reasons, journal, spool } = status
    const isOpen = orders?.open !== lostOrders() || orders.waiting !== 0 || calls.waiting !== 0
    const isWrong = !ready || !journal.writable || (spool?.oldestAgeS ?? 0) > fileMsMax / 1_000
    if (!isOpen && !isWrong) return undefined
    return { promise, facts: `${name}: ${JSON.stringify({ orders, calls, reasons, journal, spool })}` }
  }

  /** A file that was refused stays for a day, and a temporary one that could not be removed until the next start. */
  #mayStay(file: string): boolean {
    return file.includes('.rejected') || (this.#parts.day.phase !== 'closed' && ownFileOf(file)?.kind === 'temporary')
  }

  /** Truth is within what each `Date` tells, so an agent's idea of the platform's clock never gets worse. */
  #checkClock({ host: { name, clock }, agent: { startedMs }, seen: { status, atMs } }: AgentHost): void {
    const { judge, platform, day } = this.#parts
    const offsetMs = status?.platform.clockOffsetMs ?? undefined
    const { lastSetMs } = clock
    const sinceMs = Math.max(startedMs, day.stormEndedMs, lastSetMs ?? 0)
    if (offsetMs === undefined || atMs < sinceMs + statusWayMsMax) return
    const errorMs = Math.abs(offsetMs - (platform.composed.clock.nowMs() - clock.wallMs))
    const before = this.#clockErrors.get(name)
    const isSame = before?.startedMs === startedMs && before.lastSetMs === lastSetMs
    if (isSame && errorMs > before.errorMs + clockErrorMsMax)
      judge.break("an agent's idea of the platform's clock does not get worse", `${name}: ${errorMs} ms`)
    this.#clockErrors.set(name, { startedMs, lastSetMs, errorMs })
  }

  #wrongStock(server: Server): Unfinished | undefined {
    const facts = this.#stocks.findWrong(server)
    return facts === undefined
      ? undefined
      : { promise: 'the platform ends with the last stock that it accepted', facts }
  }
}

const endedPhases: ReadonlySet<string> = new Set([
  'completed',
  'refunded-after-failure',
  'refunded-after-dispute',
  'expired',
  'cancelled',
])

function firstOf<Item>(items: readonly Item[], find: (item: Item) => Unfinished | undefined): Unfinished | undefined {
  for (const item of items) {
    const found = find(item)
    if (found) return found
  }
  return undefined
}

function openOrder({ name, openOrders }: Server): Unfinished | undefined {
  const [open] = openOrders()
  return open && { promise: 'every order comes to an end', facts: `${name}: ${open.transactionId} is ${open.phase}` }
}

function untoldEnd({ name, orders }: Server): Unfinished | undefined {
  const untold = orders.findUntold()
  return untold === undefined
    ? undefined
    : { promise: 'a terminal event that was acknowledged reaches the game server', facts: `${name}: ${untold}` }
}

/** The terminal event of an order that was put off frees its units. */
function unitsSetAside({ name, saved }: Server): Unfinished | undefined {
  for (const [id, { result }] of Object.entries(saved().orders))
    if (result === 'TEMPORARY')
      return { promise: 'units that are set aside for an order are free when it is over', facts: `${name} ${id}` }
  return undefined
}

/** A temporary file of a game server that was killed is its own business. */
function isLeftByGame(file: string): boolean {
  return file.endsWith('.json.tmp') || (file.startsWith('.') && ownFileOf(file) === undefined)
}
