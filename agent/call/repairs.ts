import pLimit from 'p-limit'
import { operations, requestOf } from '../../contract/operations.ts'
import { isStoreFailure } from '../database/store-errors.ts'
import { keyOfItem, type PlatformCall } from './call.ts'
import type { ObservationEvent } from './observation.ts'
import type { EndReport, KnownObservations } from './observations.ts'
import { attemptOnce, isInputRefused, type Outcome, type SendDeps } from './send-with-retries.ts'
import type { Turn, Turns } from './turn.ts'

export interface RepairsOptions {
  readonly observations: KnownObservations
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
  #phase: 'starting' | 'resting' | 'sending' | 'stopped' | 'closed' = 'starting'
  #nextRoundMs = Number.POSITIVE_INFINITY
  #cancelRound: () => void = () => undefined

  constructor(options: RepairsOptions) {
    this.#options = options
  }

  /** Reads what the last process left. Call it before the first call. */
  async start(): Promise<void> {
    await this.#options.observations.begin((atMs) => this.#restUntil(atMs))
    this.#rest()
  }

  /**
   * A call has its turn and is about to leave.
   *
   * @throws {StoreFullError} Its observation must be stored and could not be. It must not be sent.
   * @throws {StoreUnreachableError} The same.
   */
  async leave({ operation, input }: PlatformCall): Promise<void> {
    if (operation.reports !== 'stock') return
    const { itemRef, observedQuantity } = input
    const event = { kind: 'leave', quantity: Number(observedQuantity), nowMs: this.#nowMs } as const
    await this.#options.observations.apply(String(itemRef), event, 'must-be-stored')
  }

  /** The call that left has ended. @param outcome Undefined where a bug ended it. */
  async end({ operation, input }: PlatformCall, outcome: Outcome | undefined): Promise<void> {
    if (operation.reports !== 'stock') return
    const lostMs = this.#nowMs + this.#lifetimeMs
    const { lastAttemptMs, lateUntilMs } = outcome ?? { lastAttemptMs: 0, lateUntilMs: lostMs }
    const event = { kind: 'end', effect: effectOf(outcome), lastAttemptMs, lateUntilMs } as const
    await this.#apply(String(input['itemRef']), event)
  }

  /** The platform got an observation by another way: with a report about a transaction, or with the answer to an order. */
  observe(itemRef: string, observedQuantity: number): Promise<void> {
    return this.#apply(itemRef, { kind: 'observe', quantity: observedQuantity, nowMs: this.#nowMs })
  }

  /** The platform has an older observation of the item in the place of this one, or of the newest in a shared store. That is sent again. */
  noteOverwritten(itemRef: string, newestQuantity: number): Promise<void> {
    return this.#apply(itemRef, { kind: 'overwritten', quantity: newestQuantity, nowMs: this.#nowMs })
  }

  /** As `KnownObservations.expectReport`. */
  expectReport(itemRef: string, lateUntilMs: number): Promise<EndReport> {
    return this.#options.observations.expectReport(itemRef, lateUntilMs)
  }

  /** Does not begin repairs any more. */
  stop(): void {
    if (this.#phase !== 'closed') this.#phase = 'stopped'
    this.#cancelRound()
  }

  /** Writes what is not written yet, and stops. If nothing can arrive late, the next process need not expect it. */
  async close(): Promise<void> {
    this.stop()
    this.#phase = 'closed'
    await this.#options.observations.close()
  }

  get #nowMs(): number {
    return this.#options.sending.clock.monotonicMs()
  }

  get #lifetimeMs(): number {
    return this.#options.sending.partnerApi.attemptLifetimeMs
  }

  async #apply(itemRef: string, event: ObservationEvent): Promise<void> {
    await this.#options.observations.apply(itemRef, event, 'if-possible')
  }

  /** Rests until the first repair is due, or something can be forgotten. */
  #rest(): void {
    this.#phase = 'resting'
    this.#nextRoundMs = Number.POSITIVE_INFINITY
    this.#options.observations.endRound()
  }

  #restUntil(atMs: number): void {
    if (this.#phase !== 'resting' || atMs >= this.#nextRoundMs) return
    this.#nextRoundMs = atMs
    this.#cancelRound()
    this.#cancelRound = this.#options.sending.clock.after(Math.max(0, atMs - this.#nowMs), () => void this.#sendDue())
  }

  async #sendDue(): Promise<void> {
    this.#phase = 'sending'
    const slots = pLimit(repairsAtOnce)
    const itemRefs = await this.#options.observations.findDue()
    await Promise.all(itemRefs.map((itemRef) => slots(() => this.#repair(itemRef))))
    if (this.#phase === 'sending') this.#rest()
  }

  /** In the turn of its item, so that it overtakes no call, and none overtakes it. */
  async #repair(itemRef: string): Promise<void> {
    const turn = this.#options.turns.take(keyOfItem(itemRef), 'join-now')
    try {
      await this.#repairInTurn(itemRef, turn)
    } catch (error) {
      // A store that is away or full is not a bug.
      if (!isStoreFailure(error)) this.#options.onError(error)
      // A journal on this host is not written, because it may be what failed. A shared store gets the write when it is back.
      const postpone = { kind: 'postpone', untilMs: this.#nowMs + this.#lifetimeMs } as const
      await this.#options.observations.apply(itemRef, postpone, 'in-memory')
    } finally {
      turn.release()
    }
  }

  async #repairInTurn(itemRef: string, turn: Turn): Promise<void> {
    const { sending, observations, onRepair } = this.#options
    const hasTurn = await turn.wait(this.#nowMs + sending.attemptTimeoutMs)
    if (this.#phase !== 'sending') return
    const untilMs = this.#nowMs + this.#lifetimeMs
    if (!hasTurn) return this.#apply(itemRef, { kind: 'postpone', untilMs })
    if (!sending.mayBegin()) return
    // Not noted: after a crash it is sent again in any case.
    const repair = { kind: 'repair', nowMs: this.#nowMs, lateUntilMs: untilMs } as const
    const state = await observations.apply(itemRef, repair, 'in-memory')
    if (state.at !== 'repairing') return
    const call = repairCall(itemRef, state.quantity)
    const request = requestOf(call.operation, call.input)
    const { reading, isClockCorrected } = await attemptOnce(call, request, sending.attemptTimeoutMs, sending)
    const isOver = reading.ok || isInputRefused(reading)
    // One that was refused only for its time cannot arrive late. The next one is signed by the platform's clock.
    const againMs = isClockCorrected ? this.#nowMs + sending.attemptTimeoutMs : untilMs
    await this.#apply(itemRef, isOver ? { kind: 'settle' } : { kind: 'postpone', untilMs: againMs })
    const outcome = reading.ok ? 'accepted' : isOver ? 'refused' : 'postponed'
    onRepair({ itemRef, observedQuantity: state.quantity, outcome, fault: reading.ok ? undefined : reading.fault })
  }
}

function effectOf(outcome: Outcome | undefined): 'acted' | 'in-doubt' | 'none' {
  if (outcome === undefined) return 'in-doubt'
  const { answer, refusedInDoubt } = outcome
  if (answer.ok) return 'acted'
  // The platform refuses this quantity now. If an earlier attempt had acted before, it would not.
  return answer.uncertain && refusedInDoubt !== 'of-input' ? 'in-doubt' : 'none'
}

function repairCall(itemRef: string, observedQuantity: number): PlatformCall {
  const operationName = 'market.adjust-stock'
  const input = { itemRef, observedQuantity }
  return { id: undefined, operationName, operation: operations[operationName], input }
}
