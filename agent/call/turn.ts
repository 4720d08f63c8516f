import type { Clock } from '../clock/clock.ts'
import { type Call, orderKeyOf } from './call.ts'
import type { SingleFlight } from './single-flight.ts'

/**
 * A call's position among the calls with the same key. They are sent one after another in the order in which they
 * joined, so that an older observation never overtakes a newer one.
 */
export interface Turn {
  /** An earlier call with the same key is not over yet. */
  readonly mustWait: boolean
  /** Resolves to true when every earlier call is over, or to false at the deadline (monotonic ms). */
  wait(deadlineMs: number): Promise<boolean>
  /**
   * Gives up the position, whether the turn has come or not. A second release does nothing.
   *
   * @param notBeforeMs Monotonic time. The next call waits until then, because an abandoned attempt may still arrive.
   */
  release(notBeforeMs?: number): void
}

/** The turn of a call that waits for no other. */
export const freeTurn: Turn = { mustWait: false, wait: async () => true, release: () => undefined }

/**
 * Takes the turn of a call when it arrives. Both interfaces do this first, and pass the turn to `answerCall`.
 *
 * A call whose id is under way will share that answer, so it joins the queue only if it has to be sent after all.
 */
export function takeTurn(call: Call, deps: { keyQueues: KeyQueues; singleFlight: SingleFlight }): Turn {
  const key = orderKeyOf(call)
  if (key === undefined) return freeTurn
  const isShared = call.id !== undefined && deps.singleFlight.find(call.id) !== undefined
  return isShared ? deps.keyQueues.joinLater(key) : deps.keyQueues.join(key)
}

/** One queue for each key that is busy. */
export class KeyQueues {
  readonly #clock: Clock
  /** The turns that wait for a busy key. A key that is not here is free. */
  readonly #waiting = new Map<string, QueuedTurn[]>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Takes the next position of a key. */
  join(key: string): Turn {
    const turn = this.joinLater(key)
    turn.join()
    return turn
  }

  /** A turn that takes its position when it is first waited for. */
  joinLater(key: string): QueuedTurn {
    return new QueuedTurn(this.#clock, {
      enter: (turn) => this.#enter(key, turn),
      leave: (turn) => this.#leave(key, turn),
      pass: (notBeforeMs) => this.#pass(key, notBeforeMs),
    })
  }

  #enter(key: string, turn: QueuedTurn): void {
    const waiting = this.#waiting.get(key)
    if (waiting) {
      waiting.push(turn)
    } else {
      this.#waiting.set(key, [])
      turn.come()
    }
  }

  #leave(key: string, turn: QueuedTurn): void {
    const waiting = this.#waiting.get(key)
    waiting?.splice(waiting.indexOf(turn), 1)
  }

  #pass(key: string, notBeforeMs: number): void {
    const delayMs = notBeforeMs - this.#clock.monotonicMs()
    if (delayMs > 0) this.#clock.after(delayMs, () => this.#passNow(key))
    else this.#passNow(key)
  }

  #passNow(key: string): void {
    const next = this.#waiting.get(key)?.shift()
    if (next) next.come()
    else this.#waiting.delete(key)
  }
}

interface Queue {
  enter(turn: QueuedTurn): void
  leave(turn: QueuedTurn): void
  pass(notBeforeMs: number): void
}

class QueuedTurn implements Turn {
  #state: 'not-joined' | 'waiting' | 'come' | 'over' = 'not-joined'
  readonly #clock: Clock
  readonly #queue: Queue
  readonly #hasCome = Promise.withResolvers<true>()

  constructor(clock: Clock, queue: Queue) {
    this.#clock = clock
    this.#queue = queue
  }

  get mustWait(): boolean {
    return this.#state === 'waiting'
  }

  join(): void {
    this.#state = 'waiting'
    this.#queue.enter(this)
  }

  come(): void {
    this.#state = 'come'
    this.#hasCome.resolve(true)
  }

  async wait(deadlineMs: number): Promise<boolean> {
    if (this.#state === 'not-joined') this.join()
    if (this.#state === 'come') return true
    const timeout = Promise.withResolvers<false>()
    const delayMs = Math.max(0, deadlineMs - this.#clock.monotonicMs())
    const cancel = this.#clock.after(delayMs, () => timeout.resolve(false))
    const hasCome = await Promise.race([this.#hasCome.promise, timeout.promise])
    cancel()
    return hasCome
  }

  release(notBeforeMs = 0): void {
    const before = this.#state
    this.#state = 'over'
    if (before === 'waiting') this.#queue.leave(this)
    if (before === 'come') this.#queue.pass(notBeforeMs)
  }
}
