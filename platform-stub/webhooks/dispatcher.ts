import { limits } from '../../contract/limits.ts'
import { stubLimits } from '../limits.ts'
import type { WebhookDeliveryRow } from '../store/webhooks.ts'
import { type AttemptParts, makeAttempt } from './attempt.ts'

/**
 * Sends what is due in the delivery queue. Each game server has its own places, so that one whose receiver hangs delays
 * no other. What is due is always read from the database: an attempt that a crash cut off is simply due again.
 *
 * Running, it starts attempts by itself as they come due. Paused, it starts none until `attemptDue` asks for those of
 * the present moment, which is how a journey of the clock works.
 *
 * @see interface section 6; docs/decisions/0011
 */
export class WebhookDispatcher {
  readonly #parts: AttemptParts
  /** Attempts under way by game server, each by its delivery. */
  readonly #underWay = new Map<number, Map<number, Promise<void>>>()
  #isRunning = false
  #cancelAlarm: () => void = () => undefined

  constructor(parts: AttemptParts) {
    this.#parts = parts
  }

  /** Starts attempts from now on as they come due. */
  run(): void {
    this.#isRunning = true
    this.wake()
  }

  /** Starts no attempt by itself any more; those under way go on. */
  pause(): void {
    this.#isRunning = false
    this.#cancelAlarm()
  }

  /** Looks for what is due, starts it where there is a free place, and sets the alarm for what comes next. */
  wake(): void {
    if (!this.#isRunning) return
    for (const { id } of this.#receivers()) this.#startDue(id, limits.webhookTimeoutMs)
    this.#cancelAlarm()
    const next = this.#firstAfterNow()
    this.#cancelAlarm = next === null ? () => undefined : this.#parts.platform.clock.at(next, () => this.wake())
  }

  /** When the first delivery that can be sent is due, now included; null where none is. */
  firstDueMs(): number | null {
    const { webhooks } = this.#parts.platform.tables
    return earliest(this.#receivers().map(({ id }) => webhooks.firstAfter(id, Number.NEGATIVE_INFINITY)))
  }

  /** Makes every attempt that is due at this moment and waits for all of them, new ones included. */
  async attemptDue(timeoutMs: number): Promise<void> {
    do {
      await this.settle()
      for (const { id } of this.#receivers()) this.#startDue(id, timeoutMs)
    } while (this.#underWay.size > 0)
  }

  /** Waits until no attempt is under way. */
  async settle(): Promise<void> {
    while (this.#underWay.size > 0) {
      await Promise.all([...this.#underWay.values()].flatMap((attempts) => [...attempts.values()]))
    }
  }

  #receivers() {
    return this.#parts.directory.all().filter(({ webhookUrl }) => webhookUrl !== null)
  }

  #firstAfterNow(): number | null {
    const { tables, clock } = this.#parts.platform
    const now = clock.nowMs()
    return earliest(this.#receivers().map(({ id }) => tables.webhooks.firstAfter(id, now)))
  }

  #startDue(gameServerId: number, timeoutMs: number): void {
    const { tables, clock } = this.#parts.platform
    // Its address may have been taken away while an attempt was under way: without one nothing can be made of what is due.
    if (!this.#parts.directory.byId(gameServerId)?.webhookUrl) return
    const underWay = this.#underWay.get(gameServerId) ?? new Map<number, Promise<void>>()
    const freePlaces = stubLimits.webhookInFlightPerReceiverMax - underWay.size
    if (freePlaces <= 0) return
    const due = tables.webhooks.due(gameServerId, clock.nowMs(), stubLimits.webhookInFlightPerReceiverMax)
    for (const delivery of due.filter(({ id }) => !underWay.has(id)).slice(0, freePlaces)) {
      underWay.set(delivery.id, this.#attempt(delivery, timeoutMs))
    }
    if (underWay.size > 0) this.#underWay.set(gameServerId, underWay)
  }

  async #attempt(delivery: WebhookDeliveryRow, timeoutMs: number): Promise<void> {
    const { gameServerId, id } = delivery
    let isRecorded = false
    try {
      await makeAttempt(delivery, timeoutMs, this.#parts)
      isRecorded = true
    } catch (error) {
      this.#parts.platform.log.error({ err: error, deliveryId: id }, 'webhook attempt not recorded')
    } finally {
      const underWay = this.#underWay.get(gameServerId)
      underWay?.delete(id)
      if (underWay?.size === 0) this.#underWay.delete(gameServerId)
    }
    // One that could not be recorded is still due: it waits for the next wake, or it would be sent without pause.
    if (this.#isRunning && isRecorded) this.#startDue(gameServerId, limits.webhookTimeoutMs)
  }
}

function earliest(times: readonly (number | null)[]): number | null {
  return times.reduce((first, time) => (time !== null && (first === null || time < first) ? time : first), null)
}
