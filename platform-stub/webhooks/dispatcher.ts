import { stubLimits } from '../store/stub-limits.ts'
import type { WebhookDeliveryRow } from '../store/webhook-rows.ts'
import { everydayPatience, type Patience, travelPatience } from './patience.ts'
import { type AttemptParts, makeAttempt } from './webhook-attempt.ts'

/** An attempt that is being made. */
interface UnderWay {
  /** Resolves at its end, with why it could not be written where that is so. */
  readonly ended: Promise<Error | undefined>
  readonly abort: AbortController
}

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
  readonly #underWay = new Map<number, Map<number, UnderWay>>()
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
    for (const { id } of this.#receivers()) this.#startDue(id, everydayPatience)
    this.#cancelAlarm()
    const next = this.#firstAfterNow()
    this.#cancelAlarm = next === null ? () => undefined : this.#parts.platform.clock.at(next, () => this.wake())
  }

  /** When the first delivery that can be sent is due, now included; null where none is. */
  firstDueMs(): number | null {
    const { webhooks } = this.#parts.platform.tables
    return earliest(this.#receivers().map(({ id }) => webhooks.firstAfter(id, Number.NEGATIVE_INFINITY)))
  }

  /**
   * Makes every attempt that is due at this moment, with the patience of a journey, and waits for all of them, new ones
   * included.
   *
   * @param isBrokenOff Asked before each round; what is due then stays due.
   * @throws What kept an attempt from being written: it is still due, and would be made again and again.
   */
  async attemptDue(isBrokenOff: () => boolean): Promise<void> {
    do {
      const [error] = await this.settle()
      if (error) throw error
      if (isBrokenOff()) return
      for (const { id } of this.#receivers()) this.#startDue(id, travelPatience)
    } while (this.#underWay.size > 0)
  }

  /**
   * Waits until no attempt is under way.
   *
   * @returns Why attempts could not be written.
   */
  async settle(): Promise<Error[]> {
    const errors: Error[] = []
    while (this.#underWay.size > 0) {
      const ended = await Promise.all(this.#allUnderWay().map((attempt) => attempt.ended))
      errors.push(...ended.filter((error) => error !== undefined))
    }
    return errors
  }

  /** Breaks off every attempt that is under way now. @param failure What the attempts then failed of. */
  breakOff(failure: string): void {
    for (const { abort } of this.#allUnderWay()) abort.abort(failure)
  }

  #allUnderWay(): UnderWay[] {
    return [...this.#underWay.values()].flatMap((attempts) => [...attempts.values()])
  }

  #receivers() {
    return this.#parts.directory.all().filter(({ webhookUrl }) => webhookUrl !== null)
  }

  #firstAfterNow(): number | null {
    const { tables, clock } = this.#parts.platform
    const now = clock.nowMs()
    return earliest(this.#receivers().map(({ id }) => tables.webhooks.firstAfter(id, now)))
  }

  #startDue(gameServerId: number, patience: Patience): void {
    const { tables, clock } = this.#parts.platform
    // Its address may have been taken away while an attempt was under way: without one nothing can be made of what is due.
    if (!this.#parts.directory.byId(gameServerId)?.webhookUrl) return
    const underWay = this.#underWay.get(gameServerId) ?? new Map<number, UnderWay>()
    const freePlaces = stubLimits.webhookInFlightPerReceiverMax - underWay.size
    if (freePlaces <= 0) return
    const due = tables.webhooks.due(gameServerId, clock.nowMs(), stubLimits.webhookInFlightPerReceiverMax)
    for (const delivery of due.filter(({ id }) => !underWay.has(id)).slice(0, freePlaces)) {
      const abort = new AbortController()
      underWay.set(delivery.id, { ended: this.#attempt(delivery, patience, abort.signal), abort })
    }
    if (underWay.size > 0) this.#underWay.set(gameServerId, underWay)
  }

  async #attempt(delivery: WebhookDeliveryRow, patience: Patience, signal: AbortSignal): Promise<Error | undefined> {
    const { gameServerId, id } = delivery
    let failure: Error | undefined
    try {
      await makeAttempt(delivery, patience, signal, this.#parts)
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error))
      this.#parts.platform.log.error({ err: error, deliveryId: id }, 'webhook attempt not recorded')
    } finally {
      const underWay = this.#underWay.get(gameServerId)
      underWay?.delete(id)
      if (underWay?.size === 0) this.#underWay.delete(gameServerId)
    }
    // One that could not be recorded is still due: it waits for the next wake, or it would be sent without pause.
    if (this.#isRunning && !failure) this.#startDue(gameServerId, everydayPatience)
    return failure
  }
}

function earliest(times: readonly (number | null)[]): number | null {
  return times.reduce((first, time) => (time !== null && (first === null || time < first) ? time : first), null)
}
