import pLimit from 'p-limit'
import { operations, requestOf } from '../../contract/operations.ts'
import { StoreFullError } from '../database/store-errors.ts'
import { orderKeyOf, type PlatformCall } from './call.ts'
import { faultTable } from './fault-table.ts'
import { moveObservation, type Observation, type ObservationEvent, repairOf } from './observation.ts'
import type { RepairJournal } from './repair-journal.ts'
import { attemptOnce, type Outcome, type SendDeps } from './send-with-retries.ts'
import type { Turns } from './turn.ts'

export interface RepairsOptions {
  readonly journal: RepairJournal
  readonly turns: Turns
  readonly sending: SendDeps
  /** Called after each attempt to send an observation again. */
  readonly onRepair: (repair: RepairReport) => void
  /** Called with an error that is a bug of the agent. */
  readonly onError: (error: unknown) => void
}

/** How one attempt to send an observation again ended. */
export interface RepairReport {
  readonly itemRef: string
  readonly observedQuantity: number
  /** `postponed`: it is sent again when this attempt cannot arrive any more. */
  readonly outcome: 'accepted' | 'refused' | 'postponed'
  /** Why it was not accepted. */
  readonly fault: string | undefined
}

/** Few, so that repairs take no connection from calls. */
const repairsAtOnce = 4

/**
 * Sends the newest observation of an item again when an older one may have arrived late. So no call waits for an attempt
 * without an answer. A repair is not a call: it has no id, no answer and no deadline, and ends when the platform accepts or
 * refuses it.
 *
 * @see docs/decisions/0080
 */
export class Repairs {
  readonly #options: RepairsOptions
  /** An item that is not here is as `#unknown` says. */
  readonly #observations = new Map<string, Observation>()
  /** What the journal has. */
  readonly #noted = new Map<string, { readonly quantity: number; readonly lateUntilMs: number }>()
  #unknown: Observation = { at: 'quiet', lateUntilMs: 0 }
  #phase: 'starting' | 'resting' | 'sending' | 'stopped' | 'closed' = 'starting'
  #nextRoundMs = Number.POSITIVE_INFINITY
  #cancelRound: () => void = () => undefined

  constructor(options: RepairsOptions) {
    this.#options = options
  }

  /** Reads what the last process left. Call it before the first call. */
  async start(): Promise<void> {
    const { journal } = this.#options
    const nowMs = this.#nowMs
    const lateMs = await this.#begin()
    this.#unknown = { at: 'quiet', lateUntilMs: nowMs + lateMs }
    for (const { itemRef, quantity, dueInMs } of await journal.findRepairs()) {
      const repair = { quantity, lateUntilMs: nowMs + dueInMs }
      this.#noted.set(itemRef, repair)
      // The bounds are for a host's clock that was set back, and for an earlier repair that is still on its way.
      const lateUntilMs = nowMs + Math.max(lateMs, Math.min(dueInMs, this.#lifetimeMs))
      this.#observations.set(itemRef, { at: 'due', quantity, lateUntilMs })
    }
    this.#rest()
  }

  /**
   * A call has its turn and is about to leave.
   *
   * @throws {StoreFullError} Its observation must be noted and could not be. It must not be sent.
   */
  async leave({ operation, input }: PlatformCall): Promise<void> {
    if (operation.reports !== 'stock') return
    const { itemRef, observedQuantity } = input
    const event = { kind: 'leave', quantity: Number(observedQuantity), nowMs: this.#nowMs } as const
    await this.#apply(String(itemRef), event, 'must-be-noted')
  }

  /** The call that left has ended. @param outcome Undefined where a bug ended it. */
  async end({ operation, input }: PlatformCall, outcome: Outcome | undefined): Promise<void> {
    if (operation.reports !== 'stock') return
    const lostMs = this.#nowMs + this.#lifetimeMs
    const { lastAttemptMs, lateUntilMs } = outcome ?? { lastAttemptMs: 0, lateUntilMs: lostMs }
    await this.#apply(String(input['itemRef']), { kind: 'end', effect: effectOf(outcome), lastAttemptMs, lateUntilMs })
  }

  /** The platform got an observation by another way: with a report about a transaction, or with the answer to an order. */
  observe(itemRef: string, observedQuantity: number): Promise<void> {
    return this.#apply(itemRef, { kind: 'observe', quantity: observedQuantity, nowMs: this.#nowMs })
  }

  /** What was sent by another way may reach the platform until then (monotonic), with an observation that is older by then. */
  expectLate(itemRef: string, lateUntilMs: number): Promise<void> {
    return this.#apply(itemRef, { kind: 'expect-late', lateUntilMs })
  }

  /** Does not begin repairs any more. */
  stop(): void {
    if (this.#phase !== 'closed') this.#phase = 'stopped'
    this.#cancelRound()
  }

  /** Stops writing. If nothing can arrive late, the next process need not expect it. */
  async close(): Promise<void> {
    const hasStarted = this.#phase !== 'starting'
    this.stop()
    this.#phase = 'closed'
    // A start that failed says nothing about the process before it.
    if (!hasStarted) return
    const isClean = [this.#unknown, ...this.#observations.values()].every(
      (state) => state.at === 'due' || (state.at === 'quiet' && state.lateUntilMs <= this.#nowMs),
    )
    if (!isClean) return
    try {
      await this.#options.journal.endCleanly()
    } catch (error) {
      // On a full disk the next process expects more than there is.
      if (!(error instanceof StoreFullError)) throw error
    }
  }

  get #nowMs(): number {
    return this.#options.sending.clock.monotonicMs()
  }

  get #lifetimeMs(): number {
    return this.#options.sending.partnerApi.attemptLifetimeMs
  }

  async #begin(): Promise<number> {
    try {
      return await this.#options.journal.begin(this.#lifetimeMs)
    } catch (error) {
      if (!(error instanceof StoreFullError)) throw error
      // A full disk does not keep the agent from starting. It is not known what the last process left.
      return this.#lifetimeMs
    }
  }

  #stateOf(itemRef: string): Observation {
    return this.#observations.get(itemRef) ?? this.#unknown
  }

  async #apply(itemRef: string, event: ObservationEvent, record: 'must-be-noted' | 'in-memory-too' = 'in-memory-too') {
    const before = this.#stateOf(itemRef)
    const state = moveObservation(before, event)
    this.#set(itemRef, state)
    try {
      await this.#record(itemRef)
    } catch (error) {
      if (!(error instanceof StoreFullError)) throw error
      // This process knows better than its journal until there is room.
      if (record === 'in-memory-too') return
      this.#set(itemRef, before)
      throw error
    }
  }

  #set(itemRef: string, state: Observation): void {
    const isForgotten = state.at === 'quiet' && state.lateUntilMs <= this.#nowMs
    if (isForgotten && this.#unknown.lateUntilMs <= this.#nowMs) return void this.#observations.delete(itemRef)
    this.#observations.set(itemRef, state)
    if (this.#phase === 'resting') this.#restUntil(this.#nextLookMs(state))
  }

  /** Makes the journal say what this process knows. */
  async #record(itemRef: string): Promise<void> {
    if (this.#phase === 'closed') return
    const { journal } = this.#options
    const noted = this.#noted.get(itemRef)
    const repair = repairOf(this.#stateOf(itemRef))
    if (repair?.quantity === noted?.quantity && repair?.lateUntilMs === noted?.lateUntilMs) return
    if (repair) {
      await journal.noteRepair({ itemRef, quantity: repair.quantity, dueInMs: repair.lateUntilMs - this.#nowMs })
      this.#noted.set(itemRef, repair)
    } else {
      await journal.removeRepair(itemRef)
      this.#noted.delete(itemRef)
    }
  }

  /** Rests until the first repair is due, or something can be forgotten. */
  #rest(): void {
    this.#phase = 'resting'
    this.#nextRoundMs = Number.POSITIVE_INFINITY
    for (const state of this.#observations.values()) this.#restUntil(this.#nextLookMs(state))
  }

  /** When a state is due, or can be forgotten. */
  #nextLookMs(state: Observation): number {
    if (state.at === 'due') return state.lateUntilMs
    if (state.at === 'quiet') return Math.max(state.lateUntilMs, this.#unknown.lateUntilMs)
    return Number.POSITIVE_INFINITY
  }

  #restUntil(atMs: number): void {
    if (atMs >= this.#nextRoundMs) return
    this.#nextRoundMs = atMs
    this.#cancelRound()
    this.#cancelRound = this.#options.sending.clock.after(Math.max(0, atMs - this.#nowMs), () => void this.#sendDue())
  }

  async #sendDue(): Promise<void> {
    this.#phase = 'sending'
    const slots = pLimit(repairsAtOnce)
    const isDue = ([, state]: [string, Observation]) => state.at === 'due' && state.lateUntilMs <= this.#nowMs
    const itemRefs = [...this.#observations].filter(isDue).map(([itemRef]) => itemRef)
    await Promise.all(itemRefs.map((itemRef) => slots(() => this.#repairOrBreak(itemRef))))
    for (const [itemRef, state] of this.#observations) if (state.at === 'quiet') this.#set(itemRef, state)
    if (this.#phase === 'sending') this.#rest()
  }

  async #repairOrBreak(itemRef: string): Promise<void> {
    try {
      await this.#repair(itemRef)
    } catch (error) {
      this.#options.onError(error)
      // Only in memory: the journal may be what failed.
      const postpone = { kind: 'postpone', untilMs: this.#nowMs + this.#lifetimeMs } as const
      this.#set(itemRef, moveObservation(this.#stateOf(itemRef), postpone))
    }
  }

  /** In the turn of its item, so that it overtakes no call, and none overtakes it. */
  async #repair(itemRef: string): Promise<void> {
    const { turns, sending, onRepair } = this.#options
    const turn = turns.take(keyOf(itemRef), 'join-now')
    try {
      const hasTurn = await turn.wait(this.#nowMs + sending.attemptTimeoutMs)
      if (this.#phase !== 'sending') return
      const untilMs = this.#nowMs + this.#lifetimeMs
      if (!hasTurn) return await this.#apply(itemRef, { kind: 'postpone', untilMs })
      // Not noted: after a crash it is sent again in any case.
      const state = moveObservation(this.#stateOf(itemRef), {
        kind: 'repair',
        nowMs: this.#nowMs,
        lateUntilMs: untilMs,
      })
      if (state.at !== 'repairing') return
      this.#set(itemRef, state)
      const call = repairCall(itemRef, state.quantity)
      const request = requestOf(call.operation, call.input)
      const { reading } = await attemptOnce(call, request, sending.attemptTimeoutMs, sending)
      const isOver = reading.ok || faultTable[reading.fault].isStored
      await this.#apply(itemRef, isOver ? { kind: 'settle' } : { kind: 'postpone', untilMs })
      const outcome = reading.ok ? 'accepted' : isOver ? 'refused' : 'postponed'
      onRepair({ itemRef, observedQuantity: state.quantity, outcome, fault: reading.ok ? undefined : reading.fault })
    } finally {
      turn.release()
    }
  }
}

function effectOf(outcome: Outcome | undefined): 'acted' | 'in-doubt' | 'none' {
  if (outcome === undefined) return 'in-doubt'
  const { answer, isRefusedInDoubt } = outcome
  if (answer.ok) return 'acted'
  // The platform refuses this quantity now. If an earlier attempt had acted before, it would not.
  return answer.uncertain && !isRefusedInDoubt ? 'in-doubt' : 'none'
}

function repairCall(itemRef: string, observedQuantity: number): PlatformCall {
  const operationName = 'market.adjust-stock'
  const input = { itemRef, observedQuantity }
  return { id: undefined, operationName, operation: operations[operationName], input }
}

function keyOf(itemRef: string): string {
  return String(orderKeyOf(repairCall(itemRef, 0)))
}
