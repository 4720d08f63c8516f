import type { Platform } from '../marketplace/platform.ts'
import { firstDueMoveMs, makeDueMoves } from '../marketplace/transactions/due.ts'
import { stubLimits } from '../store/stub-limits.ts'
import type { WebhookDispatcher } from '../webhooks/dispatcher.ts'
import { travelPatience } from '../webhooks/patience.ts'
import type { StubClock } from './clock.ts'

/** Where a journey leads: back to the machine's time, or to a moment that may follow from the present one. */
export type Destination = 'real' | { readonly momentMs: (nowMs: number) => number }

/** What attempts failed of. */
const brokenOffByReset = 'broken off by a reset'
const hurriedByJourney = `no complete answer within the ${travelPatience.timeoutMs} ms of a journey`

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
  /** Ends with the last journey that was asked for. */
  #journeys: Promise<void> = Promise.resolve()
  #journeysAsked = 0
  /** Journeys that were asked for before this one are broken off. */
  #firstUnbroken = 0

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
   * another; the one home breaks off those before it, which end where they are.
   *
   * @throws What kept the platform from writing: the journey ended where it was.
   */
  travel(destination: Destination): Promise<void> {
    if (destination === 'real') this.#breakOffJourneys()
    const number = this.#journeysAsked++
    const isBrokenOff = (): boolean => this.#isStopped || number < this.#firstUnbroken
    return this.#inTurn(() => this.#travelNow(destination, isBrokenOff))
  }

  /** Runs `work` while time stands still and nothing that is due is done. Whatever is under way is broken off for it. */
  standStill(work: () => Promise<void>): Promise<void> {
    this.#breakOffJourneys()
    this.#dispatcher.breakOff(brokenOffByReset)
    return this.#inTurn(async () => {
      await this.#pause(0, brokenOffByReset)
      try {
        await work()
      } finally {
        this.run()
      }
    })
  }

  #breakOffJourneys(): void {
    this.#firstUnbroken = this.#journeysAsked
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#journeys.then(work)
    this.#journeys = done.catch(() => undefined)
    return done
  }

  async #travelNow(destination: Destination, isBrokenOff: () => boolean): Promise<void> {
    if (isBrokenOff()) return
    await this.#pause(travelPatience.timeoutMs, hurriedByJourney)
    const isHome = destination === 'real'
    const targetMs = isHome ? this.#clock.realNowMs() : Math.round(destination.momentMs(this.#clock.nowMs()))
    try {
      const hasArrived = await this.#visitDueMoments(targetMs, isBrokenOff)
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

  /** @returns Whether the target was reached. */
  async #visitDueMoments(targetMs: number, isBrokenOff: () => boolean): Promise<boolean> {
    this.#clock.standAt(Math.min(this.#clock.nowMs(), targetMs))
    while (!isBrokenOff()) {
      const next = Math.min(
        firstDueMoveMs(this.#platform) ?? Number.POSITIVE_INFINITY,
        this.#dispatcher.firstDueMs() ?? Number.POSITIVE_INFINITY,
      )
      if (next > targetMs) return true
      this.#clock.standAt(Math.max(next, this.#clock.nowMs()))
      await this.#keepOffset()
      await makeDueMoves(this.#platform)
      await this.#dispatcher.attemptDue(isBrokenOff)
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

  /**
   * Begins nothing new and waits for what is under way.
   *
   * @param patienceMs What attempts get at most; without it their own time.
   * @param failure What one that takes longer then failed of.
   */
  async #pause(patienceMs?: number, failure = ''): Promise<void> {
    this.#isRunning = false
    this.#cancelAlarm()
    this.#dispatcher.pause()
    const cancel = patienceMs === undefined ? undefined : this.#hurry(patienceMs, failure)
    await this.#moves
    await this.#dispatcher.settle()
    cancel?.()
  }

  #hurry(patienceMs: number, failure: string): () => void {
    if (patienceMs > 0) return this.#clock.after(patienceMs, () => this.#dispatcher.breakOff(failure))
    this.#dispatcher.breakOff(failure)
    return () => undefined
  }

  /** A stub that is killed on a journey starts again where it was. */
  #keepOffset(): Promise<void> {
    return this.#platform.transact(() => this.#platform.tables.platform.setClockOffsetMs(this.#clock.offsetMs))
  }
}
