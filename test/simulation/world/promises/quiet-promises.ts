import { ownFileOf } from '../../../../agent/spool/names.ts'
import { phaseOfRow } from '../../../../platform-stub/marketplace/transactions/moves.ts'
import type { Network } from '../../network/network.ts'
import type { AgentHost } from '../agent-host.ts'
import type { Day } from '../game/game-program.ts'
import type { ModelPlatform } from '../model-platform.ts'
import type { Server } from '../server.ts'
import { waveMs } from '../waves.ts'
import type { Judge } from './judge.ts'
import type { LateStocks } from './late-stocks.ts'
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
  readonly network: Network
  readonly lateStocks: LateStocks
  /** How long nothing may be left before all is quiet: what arrives late is made good then. */
  readonly stillMs: number
  readonly nowMs: () => number
  /** Called when a wave begins. */
  readonly onWave: () => void
}

/** Something that has not ended. */
export interface Unfinished {
  readonly promise: string
  readonly facts: string
}

/** How often it is asked whether all is quiet: virtual ms. */
const lookMs = 2_000
/** A file is answered after this time: longer than the deadlines of a call and of the one before it. */
const answerMsMax = 55_000
/** So long a file may be there: those of game servers that ask come and go. */
const fileMsMax = 20_000
const statusAgeMsMax = 30_000
/** How old a status may be when it arrives. */
const statusWayMsMax = 5_000
/** What the drift of a host's clock may add. */
const clockErrorMsMax = 100
/** How often people buy and play over a slow network after the storm. */
const waves = 3
/** A calm is longer than what its wave has left may take until it is made good. */
const calmAfterStillMs = 10_000
/** Longer than an attempt, and shorter than its envelope is valid. */
const slowMsMax = 25_000

/** When the faults are over, everything comes to its end: nothing waits for ever, and nobody is left with a wrong idea. */
export class QuietPromises {
  readonly #parts: QuietParts
  #nextLookMs = 0
  #quietSinceMs: number | undefined
  #wavesLeft = waves
  #phaseEndsMs = 0
  #healthySinceMs = Number.POSITIVE_INFINITY
  #endSlowness: () => void = () => undefined
  readonly #stocks: StockPromises
  /** How wrong each agent is about the platform's clock, by the name of its host. */
  readonly #clockErrors = new Map<string, { readonly startedMs: number; readonly errorMs: number }>()
  /** When each file of the spools was first seen. */
  #seenMs = new Map<string, number>()

  constructor(parts: QuietParts) {
    this.#parts = parts
    this.#stocks = new StockPromises({ ...parts, break: parts.judge.break })
  }

  /** The faults are over. A start would hide what they left, so there is none at first. */
  begin(): void {
    this.#parts.day.stormEndedMs = this.#parts.nowMs()
    this.#beginCalm()
  }

  /** Asked before each event, so it looks only now and then. */
  isReached(): boolean {
    const nowMs = this.#parts.nowMs()
    if (nowMs < this.#nextLookMs) return false
    this.#nextLookMs = nowMs + lookMs
    this.#stocks.look(this.#healthySinceMs)
    for (const agent of this.#parts.agents) {
      this.#checkClock(agent)
      agent.check()
    }
    for (const server of this.#parts.servers) this.#checkFiles(server)
    const unfinished = this.#findUnfinished()
    this.#changePhase(unfinished)
    if (unfinished || this.#parts.day.phase !== 'closed') this.#quietSinceMs = undefined
    else this.#quietSinceMs ??= nowMs
    return this.#quietSinceMs !== undefined && nowMs >= this.#quietSinceMs + this.#parts.stillMs
  }

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

  #changePhase(unfinished: Unfinished | undefined): void {
    const { day, nowMs } = this.#parts
    const isTime = nowMs() >= this.#phaseEndsMs
    if (day.phase === 'wave' && isTime) this.#beginCalm()
    else if (day.phase === 'calm' && isTime && this.#wavesLeft > 0) this.#beginWave()
    else if (day.phase === 'calm' && isTime) day.phase = 'closing'
    else if (day.phase === 'closing' && !unfinished) this.#endDay()
  }

  /** Every request may overtake another one. */
  #beginWave(): void {
    const { day, network, nowMs, onWave } = this.#parts
    this.#wavesLeft--
    day.phase = 'wave'
    this.#phaseEndsMs = nowMs() + waveMs
    this.#healthySinceMs = Number.POSITIVE_INFINITY
    this.#endSlowness = network.faults.slowMsMax.add(slowMsMax)
    onWave()
  }

  /** Nothing new is said, so nothing hides what arrives late. */
  #beginCalm(): void {
    const { day, stillMs, nowMs } = this.#parts
    this.#endSlowness()
    day.phase = 'calm'
    this.#phaseEndsMs = nowMs() + stillMs + calmAfterStillMs
    this.#healthySinceMs = nowMs()
  }

  /** The agents are started again, so that nothing is only in their memory. */
  #endDay(): void {
    this.#parts.day.phase = 'closed'
    for (const agentHost of this.#parts.agents) this.restart(agentHost)
  }

  /** Stops an agent cleanly, and starts it again. Its disk must be healthy. */
  restart(agentHost: AgentHost): void {
    const before = claimsAt(agentHost)
    agentHost.agent.restart(() => this.#checkStopped(agentHost, before))
  }

  #openTransaction(): Unfinished | undefined {
    const { transactions } = this.#parts.platform.composed.platform.tables
    for (let id = 1; ; id++) {
      const row = transactions.byId(id)
      if (!row) return undefined
      const phase = phaseOfRow(row)
      if (!endedPhases.has(phase)) return { promise: 'every purchase comes to an end', facts: `${id} is ${phase}` }
    }
  }

  /** While nothing is broken, no file waits until somebody starts the agent again. */
  #checkFiles(server: Server): void {
    const { judge, agents, nowMs } = this.#parts
    const gameSinceMs = this.#stocks.gameSince(server)
    if (gameSinceMs === undefined) return
    const steadySinceMs = Math.max(this.#healthySinceMs, gameSinceMs, ...agents.map(({ agent }) => agent.startedMs))
    for (const [id, sinceMs] of server.files.unanswered)
      if (nowMs() > Math.max(sinceMs, steadySinceMs) + answerMsMax)
        judge.break('no file waits for its answer until the agent is started again', `${server.name} ${id}`)
  }

  /** Each request gets its answer, and nothing stays in a spool. */
  #oldFile(): Unfinished | undefined {
    const seenMs = new Map<string, number>()
    const nowMs = this.#parts.nowMs()
    for (const { name, files, host, addresses } of this.#parts.servers) {
      for (const id of files.unanswered.keys()) seenMs.set(`every file is answered: ${name} ${id}`, nowMs)
      for (const dir of ['events', 'replies', 'outbox', 'inbox'])
        for (const file of host.disk.namesIn(`${addresses.spool}/${dir}`))
          if (!isLeftByGame(file) && !this.#mayStay(file)) seenMs.set(`no file is left: ${name} ${dir}/${file}`, nowMs)
    }
    for (const [file, firstMs] of this.#seenMs) if (seenMs.has(file)) seenMs.set(file, firstMs)
    this.#seenMs = seenMs
    for (const [file, firstMs] of seenMs) {
      const [promise = '', facts = ''] = file.split(': ')
      if (nowMs - firstMs > fileMsMax) return { promise, facts }
    }
    return undefined
  }

  /** The status shows that nothing is open and nothing is wrong. */
  #wrongStatus({ host: { name }, isStandby, seen: { status, atMs } }: AgentHost): Unfinished | undefined {
    if (isStandby) return undefined
    const promise = 'the status shows what is open'
    if (!status || atMs < this.#parts.nowMs() - statusAgeMsMax) return { promise, facts: `${name}: no status` }
    const { orders, calls, ready, reasons, journal, spool } = status
    const isOpen = orders?.open !== 0 || orders.waiting !== 0 || calls.waiting !== 0
    const isWrong = !ready || !journal.writable || (spool?.oldestAgeS ?? 0) > fileMsMax / 1_000
    if (!isOpen && !isWrong) return undefined
    return { promise, facts: `${name}: ${JSON.stringify({ orders, calls, reasons, journal, spool })}` }
  }

  /** A file that was refused stays for a day, and a temporary one that could not be removed until the next start. */
  #mayStay(file: string): boolean {
    return file.includes('.rejected') || (this.#parts.day.phase !== 'closed' && ownFileOf(file)?.kind === 'temporary')
  }

  /** An orderly stop leaves no claim of its own (I9). One of an earlier agent may have been sent, so it stays. */
  #checkStopped(agentHost: AgentHost, before: ReadonlySet<string>): void {
    for (const file of claimsAt(agentHost))
      if (!before.has(file)) this.#parts.judge.break('a stop leaves no claim', `${agentHost.host.name}: ${file}`)
  }

  /** Truth is within what each `Date` tells, so an agent's idea of the platform's clock never gets worse. */
  #checkClock({ host: { name, clock }, agent: { startedMs }, seen: { status, atMs } }: AgentHost): void {
    const { judge, platform, day } = this.#parts
    const offsetMs = status?.platform.clockOffsetMs ?? undefined
    if (offsetMs === undefined || atMs < Math.max(startedMs, day.stormEndedMs + statusWayMsMax)) return
    const errorMs = Math.abs(offsetMs - (platform.composed.clock.nowMs() - clock.wallMs))
    const before = this.#clockErrors.get(name)
    if (before?.startedMs === startedMs && errorMs > before.errorMs + clockErrorMsMax)
      judge.break("an agent's idea of the platform's clock does not get worse", `${name}: ${errorMs} ms`)
    this.#clockErrors.set(name, { startedMs, errorMs })
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

/** Requests that are claimed, and answers that are not shown yet. */
function claimsAt({ host, addresses }: AgentHost): ReadonlySet<string> {
  const isClaim = (file: string) => ['claim', 'done'].includes(ownFileOf(file)?.kind ?? '')
  return new Set(host.disk.namesIn(`${addresses.spool}/outbox`).filter(isClaim))
}

/** A temporary file of a game server that was killed is its own business. */
function isLeftByGame(file: string): boolean {
  return file.endsWith('.json.tmp') || (file.startsWith('.') && ownFileOf(file) === undefined)
}
