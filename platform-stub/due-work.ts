import type { StubClock } from './clock/clock.ts'
import { stubLimits } from './limits.ts'
import type { Platform } from './platform.ts'
import { firstDueMoveMs, makeDueMoves } from './transactions/due.ts'
import type { WebhookDispatcher } from './webhooks/dispatcher.ts'

/** Where a journey leads: back to the machine's time, or to a moment that may follow from the present one. */
export type Destination = 'real' | { readonly momentMs: (nowMs: number) => number }

/**
 * Everything that time does in the platform: moves of transactions, then webhook attempts. Day by day it follows the
 * clock; on a journey it goes from one due moment to the next and does at each what is due there.
 */
export class DueWork {
  readonly #platform: Platform
  readonly #clock: StubClock
  readonly #dispatcher: WebhookDispatcher
  #isRunning = false
  #isStopped = false
  #cancelAlarm: () => void = () => undefined
  #moves: Promise<void> | undefined
  #journeys: Promise<void> = Promise.resolve()

  constructor(platform: Platform, clock: StubClock, dispatcher: WebhookDispatcher) {
    this.#platform = platform
    this.#clock = clock
    this.#dispatcher = dispatcher
  }

  /** Follows the clock from now on. What came due before the start is done at once, and once. */
  run(): void {
    if (this.#isStopped) return
    this.#isRunning = true
    this.#dispatcher.run()
    this.wake()
  }

  /** Something was written that has a due time: looks again. */
  wake(): void {
    if (!this.#isRunning) return
    this.#dispatcher.wake()
    this.#cancelAlarm()
    const first = firstDueMoveMs(this.#platform)
    if (first === null) return
    // Not by an alarm of 0 ms: a busy platform wakes us more often than that, and each time sets the alarm anew.
    if (first <= this.#clock.nowMs()) this.#moves ??= this.#makeMoves()
    else this.#cancelAlarm = this.#clock.at(first, () => this.wake())
  }

  /** Does nothing by itself any more; breaks a journey off where it is and waits for the attempts under way. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#journeys
    await this.#pause()
  }

  /**
   * Moves the stub's time to a moment. On the way forward everything that is due is done in order, each at its own
   * moment, and what that causes too; the way back does nothing. Ends when all of it is done. Journeys follow one
   * another.
   */
  travel(destination: Destination): Promise<void> {
    const journey = this.#journeys.then(() => this.#travelNow(destination))
    this.#journeys = journey.catch(() => undefined)
    return journey
  }

  /** Runs `work` while time stands still and nothing that is due is done. */
  standStill(work: () => Promise<void>): Promise<void> {
    const journey = this.#journeys.then(async () => {
      await this.#pause()
      try {
        await work()
      } finally {
        this.run()
      }
    })
    this.#journeys = journey.catch(() => undefined)
    return journey
  }

  async #travelNow(destination: Destination): Promise<void> {
    await this.#pause()
    const isHome = destination === 'real'
    const targetMs = isHome ? this.#clock.realNowMs() : Math.round(destination.momentMs(this.#clock.nowMs()))
    try {
      const hasArrived = await this.#visitDueMoments(targetMs)
      if (isHome && hasArrived) this.#clock.runWithOffset(0)
      else this.#clock.runFrom(hasArrived ? targetMs : this.#clock.nowMs())
      await this.#keepOffset()
    } catch (error) {
      this.#clock.runFrom(this.#clock.nowMs())
      throw error
    } finally {
      this.run()
    }
  }

  /** @returns Whether the target was reached; a stub that ends breaks its journey off. */
  async #visitDueMoments(targetMs: number): Promise<boolean> {
    this.#clock.standAt(Math.min(this.#clock.nowMs(), targetMs))
    while (!this.#isStopped) {
      const next = Math.min(
        firstDueMoveMs(this.#platform) ?? Number.POSITIVE_INFINITY,
        this.#dispatcher.firstDueMs() ?? Number.POSITIVE_INFINITY,
      )
      if (next > targetMs) return true
      this.#clock.standAt(Math.max(next, this.#clock.nowMs()))
      await this.#keepOffset()
      await makeDueMoves(this.#platform)
      await this.#dispatcher.attemptDue(stubLimits.travelAttemptTimeoutMs)
    }
    return false
  }

  async #makeMoves(): Promise<void> {
    try {
      await makeDueMoves(this.#platform)
      this.#moves = undefined
      this.wake()
    } catch (error) {
      this.#platform.log.error({ err: error }, 'due moves not made')
      this.#clock.after(stubLimits.dueMovesRetryMs, () => {
        this.#moves = undefined
        this.wake()
      })
    }
  }

  async #pause(): Promise<void> {
    this.#isRunning = false
    this.#cancelAlarm()
    this.#dispatcher.pause()
    await this.#moves
    await this.#dispatcher.settle()
  }

  /** A stub that is killed on a journey starts again where it was. */
  #keepOffset(): Promise<void> {
    return this.#platform.transact(() => this.#platform.tables.platform.setClockOffsetMs(this.#clock.offsetMs))
  }
}
