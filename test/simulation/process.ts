import type { RawTime } from '../../agent/clock/clock.ts'
import type { RealTime } from '../../platform-stub/clock/clock.ts'
import type { HostClock } from './host-clock.ts'
import type { Random } from './random.ts'
import type { Actor, Event, Scheduler } from './scheduler.ts'

/** Thrown out of each call of a process that is dead: it can do nothing and learn nothing any more. */
export class ProcessDied extends Error {
  override readonly name = 'ProcessDied'
}

/** Calls after which the world is another one. A process makes most others while it has nothing to do. */
const changes = /^(?!(?:stat|lstat|fstat|readdir|read|access|open|close) )/

interface Plan {
  callsLeft: number
  readonly calls: RegExp
  readonly act: () => void
}

/**
 * One run of a program, from its start to its end. Everything that happens to it is an event of its own, and everything
 * that it does goes through ports that ask `enter` first. So a process that is killed does nothing any more, at once:
 * there are no more events, its calls throw, and the promises that it waits for stay open for ever.
 */
export class ModelProcess implements Actor {
  readonly name: string
  /** Draws how long what it does takes. */
  readonly random: Random
  readonly #scheduler: Scheduler
  readonly #onEnd = new Set<() => void>()
  #state: Actor['state'] = 'running'
  #held: Event[] = []
  /** What happens to it at one of its next calls. */
  readonly #plans = new Set<Plan>()

  /** Time as the runtime gives it, to the agent and to the stub alike. */
  readonly time: RawTime & RealTime & { nextTurn(): Promise<void> }

  constructor(name: string, clock: HostClock, scheduler: Scheduler, random: Random) {
    this.name = name
    this.random = random
    this.#scheduler = scheduler
    const startedMs = clock.monotonicMs
    // As `Date.now`: whole milliseconds.
    const wallMs = () => Math.floor(clock.wallMs)
    this.time = {
      wallMs,
      nowMs: wallMs,
      monotonicMs: () => clock.monotonicMs - startedMs,
      nextTurn: () => new Promise((resolve) => void this.after(0, 'next turn', resolve)),
      // As Node's: up to 1 ms early, except those of 1 ms or less.
      setTimer: (delayMs, callback) => {
        const inexactMs = random.between(delayMs > 1 ? -0.9 : 0, clock.lateMsMax.value)
        return this.after(clock.trueDelayMs(Math.max(1, delayMs) + inexactMs), 'timer', callback)
      },
    }
  }

  get state(): Actor['state'] {
    return this.#state
  }

  hold(event: Event): void {
    this.#held.push(event)
  }

  /** Makes something happen to this process after a delay of virtual time. */
  after(delayMs: number, what: string, act: () => void): () => void {
    if (this.#state === 'dead') return () => undefined
    return this.#scheduler.after(delayMs, this, what, () => this.#actUnlessDead(act))
  }

  /**
   * The beginning of each call to a port.
   *
   * @throws {ProcessDied}
   */
  enter(what: string): void {
    if (!this.#mayEnter(what)) throw new ProcessDied()
  }

  /**
   * A call that takes time. Its effect and its answer are two events: a process that is killed between them has acted and
   * does not know. The call of a dead process is never answered.
   */
  enterSlowly<Result>(what: string, delayMs: number, effect: () => Result): Promise<Result> {
    if (!this.#mayEnter(what)) return new Promise(() => undefined)
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    const effectMs = this.random.between(0, delayMs)
    this.after(effectMs, what, () => {
      const settle = outcomeOf(effect, resolve, reject)
      this.after(delayMs - effectMs, `${what} has ended`, settle)
    })
    return promise
  }

  /** A process that dies on the way takes its errors with it. */
  #actUnlessDead(act: () => void): void {
    try {
      act()
    } catch (error) {
      if (this.#state !== 'dead') throw error
    }
  }

  #mayEnter(what: string): boolean {
    for (const plan of this.#plans) {
      if (!plan.calls.test(what) || plan.callsLeft-- > 0) continue
      this.#plans.delete(plan)
      plan.act()
    }
    if (this.#state === 'dead') return false
    this.#scheduler.trace.add(this.#scheduler.nowMs, this.name, what)
    return true
  }

  /** Stops it as SIGSTOP does. */
  pause(): void {
    if (this.#state === 'running') this.#state = 'paused'
  }

  /** Lets it run on. Everything that came due meanwhile happens at once. */
  resume(): void {
    if (this.#state !== 'paused') return
    this.#state = 'running'
    this.#scheduler.release(this.#held.splice(0))
  }

  /**
   * Ends it at one of its next calls, instead of between two events.
   *
   * @param calls Which calls count: those that change something if it is left out.
   * @param end Kills it if it is left out.
   * @returns Calls it off.
   */
  endAtCall(callsLeft: number, { calls = changes, end = () => this.end() } = {}): () => void {
    return this.#atCall({ callsLeft, calls, act: end })
  }

  /**
   * Pauses it at one of its next calls that change something: it has decided, and acts when it runs on.
   *
   * @returns Lets it run on.
   */
  pauseAtCall(callsLeft: number): () => void {
    const callOff = this.#atCall({ callsLeft, calls: changes, act: () => this.pause() })
    return () => {
      callOff()
      this.resume()
    }
  }

  #atCall(plan: Plan): () => void {
    this.#plans.add(plan)
    return () => void this.#plans.delete(plan)
  }

  /** Its end, by kill -9 or by itself: the system takes back what it had. */
  end(): void {
    if (this.#state === 'dead') return
    this.#state = 'dead'
    this.#held = []
    for (const release of this.#onEnd) release()
    this.#onEnd.clear()
  }

  /** What the system does when the process has ended: resets connections, drops locks. The returned function calls it off. */
  onEnd(release: () => void): () => void {
    this.#onEnd.add(release)
    return () => void this.#onEnd.delete(release)
  }
}

function outcomeOf<Result>(
  effect: () => Result,
  resolve: (result: Result) => void,
  reject: (error: unknown) => void,
): () => void {
  try {
    const result = effect()
    return () => resolve(result)
  } catch (error) {
    return () => reject(error)
  }
}
