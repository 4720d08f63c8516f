import type { DueAttempts, Mode } from '../clock/schedule.ts'
import { stubLimits } from '../store/stub-limits.ts'
import type { WebhookDeliveryRow } from '../store/webhook-rows.ts'
import { type AttemptMade, recordAttempt } from './outcome.ts'
import { type AttemptParts, everydayPatience, makeAttempt, type Patience, travelPatience } from './webhook-attempt.ts'

/** An attempt that is being made. */
interface UnderWay {
  readonly gameServerId: number
  readonly abort: AbortController
  /** Resolves at its end. */
  readonly ended: Promise<void>
}

/**
 * Sends what is due in the delivery queue. Each game server has its own slots, so that a receiver that hangs delays no
 * other. What is due is always read from the database: an attempt that a crash cut off is due again.
 *
 * @see interface section 6; docs/decisions/0032
 */
export class WebhookDispatcher implements DueAttempts {
  readonly #parts: AttemptParts
  readonly #onStoreRefused: () => void
  /** By delivery. */
  readonly #underWay = new Map<number, UnderWay>()
  /** Attempts that were made and could not be written, by delivery. They are not made again meanwhile. */
  readonly #unrecorded = new Map<number, AttemptMade>()
  /** The store refused something since the last run: waiting comes before trying again. */
  #isRefused = false
  /** What attempts that start now get; null while none starts. */
  #patience: Patience | null = null

  /** @param onStoreRefused Called when something could not be written, so that `run` is called again. */
  constructor(parts: AttemptParts, onStoreRefused: () => void) {
    this.#parts = parts
    this.#onStoreRefused = onStoreRefused
  }

  run(mode: Mode): boolean {
    this.#patience = mode.kind === 'travelling' ? travelPatience : everydayPatience
    const wasRefused = this.#isRefused
    this.#isRefused = false
    if (wasRefused || ![...this.#unrecorded.values()].every((attempt) => this.#record(attempt))) return false
    for (const { id } of this.#parts.directory.all()) this.#startDue(id)
    return true
  }

  /** Deliveries of a game server without an address are among them, and are due all the same. */
  nextMs(): number | null {
    const { tables, clock } = this.#parts.platform
    return tables.webhooks.firstAfter(clock.nowMs())
  }

  pause(): void {
    this.#patience = null
  }

  isIdle(): boolean {
    return this.#underWay.size === 0
  }

  async settle(): Promise<void> {
    while (!this.isIdle()) await Promise.all([...this.#underWay.values()].map(({ ended }) => ended))
  }

  breakOff(failure: string): void {
    for (const { abort } of this.#underWay.values()) abort.abort(failure)
  }

  #startDue(gameServerId: number): void {
    const { tables, clock } = this.#parts.platform
    const patience = this.#patience
    if (!patience || !this.#parts.directory.byId(gameServerId)?.webhookUrl) return
    const own = [...this.#underWay.values()].filter((attempt) => attempt.gameServerId === gameServerId)
    const slots = stubLimits.webhookInFlightPerReceiverMax - own.length
    if (slots <= 0) return
    const due = tables.webhooks.due(gameServerId, clock.nowMs(), stubLimits.webhookInFlightPerReceiverMax)
    const startable = due.filter(({ id }) => !this.#underWay.has(id) && !this.#unrecorded.has(id))
    for (const delivery of startable.slice(0, slots)) {
      const abort = new AbortController()
      const ended = this.#attempt(delivery, patience, abort.signal)
      this.#underWay.set(delivery.id, { gameServerId, abort, ended })
    }
  }

  async #attempt(delivery: WebhookDeliveryRow, patience: Patience, signal: AbortSignal): Promise<void> {
    // Begins in the next microtask: it must be among those under way before it can end.
    await null
    let isStored = false
    try {
      const made = await makeAttempt(delivery, patience, signal, this.#parts)
      isStored = typeof made === 'string' ? made === 'not-made' : this.#record(made)
    } catch (error) {
      this.#parts.platform.log.error({ err: error, deliveryId: delivery.id }, 'webhook attempt failed')
    }
    this.#underWay.delete(delivery.id)
    if (isStored) this.#startDue(delivery.gameServerId)
    else {
      this.#isRefused = true
      this.#onStoreRefused()
    }
  }

  #record(attempt: AttemptMade): boolean {
    const isRecorded = recordAttempt(this.#parts.platform, attempt)
    if (isRecorded) this.#unrecorded.delete(attempt.deliveryId)
    else this.#unrecorded.set(attempt.deliveryId, attempt)
    return isRecorded
  }
}
