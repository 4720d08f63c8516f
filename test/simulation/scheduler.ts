import { setImmediate } from 'node:timers'
import { EventHeap } from './event-heap.ts'
import { inWorld } from './outside.ts'
import type { Random } from './random.ts'
import type { Trace } from './trace.ts'

/** What an event happens to: a process, or a part of the world outside of all processes. */
export interface Actor {
  readonly name: string
  /** Nothing happens to a dead actor any more. Events of a paused one are held until it runs again. */
  readonly state: 'running' | 'paused' | 'dead'
  hold(event: Event): void
}

/** A part of the world that always runs: the network, the faults. */
export function worldActor(name: string): Actor {
  return { name, state: 'running', hold: () => undefined }
}

/** Something that happens at a moment of virtual time. */
export interface Event {
  atMs: number
  /** Decides between events of one moment. From the seed. */
  tie: number
  readonly actor: Actor
  readonly what: string
  readonly act: () => void
  isCancelled: boolean
}

/** Node's own, which a run closes for the programs. */
const afterMicrotasks = setImmediate
/** How many events happen in one turn of Node's event loop. Only a matter of speed: see `Scheduler.run`. */
const batchSize = 64

/**
 * One thread, one virtual clock, one heap of events. Time passes only from one event to the next.
 */
export class Scheduler {
  readonly trace: Trace
  readonly #ties: Random
  readonly #events = new EventHeap<Event>()
  /** What the last event happened to. */
  actor: Actor | undefined
  #nowMs = 0
  #sleptMs = 0
  #count = 0

  constructor(random: Random, trace: Trace) {
    this.#ties = random.part('ties')
    this.trace = trace
  }

  /** Virtual time since the beginning of the run. */
  get nowMs(): number {
    return this.#nowMs
  }

  /** How much of that everything slept. */
  get sleptMs(): number {
    return this.#sleptMs
  }

  /** Number of events that have happened. */
  get count(): number {
    return this.#count
  }

  /** Makes something happen after a delay. The returned function cancels it. */
  after(delayMs: number, actor: Actor, what: string, act: () => void): () => void {
    const atMs = this.#nowMs + Math.max(0, delayMs)
    const event: Event = { atMs, tie: this.#ties.unit(), actor, what, act, isCancelled: false }
    this.#events.push(event)
    return () => {
      event.isCancelled = true
    }
  }

  /** Everything sleeps, and its clocks run on. Events that come due meanwhile happen afterwards, in their order. */
  sleep(ms: number): void {
    this.#nowMs += ms
    this.#sleptMs += ms
  }

  /** What was held while its actor was paused happens now, in the order in which it came, as in a real system. */
  release(held: readonly Event[]): void {
    // The smallest tie for the first.
    const ties = held.map(({ tie }) => tie).sort((one, other) => one - other)
    for (const [n, event] of held.entries()) {
      event.atMs = this.#nowMs
      event.tie = ties[n] as number
      this.#events.push(event)
    }
  }

  /**
   * Runs until nothing is left to happen, or the check says that it is over. The check comes before each event, when
   * everything has ended that the event before it caused: Node runs all microtasks between two immediates.
   *
   * @throws What an event throws, and what the check throws.
   */
  run(isOver: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      let isRunning = true
      const turn = () => {
        if (!isRunning) return
        inWorld.isNow = true
        try {
          isRunning = !isOver() && this.#step()
          if (!isRunning) resolve()
        } catch (error) {
          isRunning = false
          reject(error)
        }
        inWorld.isNow = isRunning
      }
      const batch = () => {
        inWorld.isNow = false
        if (!isRunning) return
        for (let n = 0; n < batchSize; n++) afterMicrotasks(turn)
        afterMicrotasks(batch)
      }
      batch()
    })
  }

  /** @returns Whether there was an event. */
  #step(): boolean {
    for (let event = this.#events.pop(); event; event = this.#events.pop()) {
      const { actor } = event
      if (event.isCancelled || actor.state === 'dead') continue
      this.#nowMs = Math.max(this.#nowMs, event.atMs)
      if (actor.state === 'paused') {
        actor.hold(event)
        continue
      }
      this.#count++
      this.actor = actor
      this.trace.add(this.#nowMs, actor.name, event.what)
      event.act()
      return true
    }
    return false
  }
}
