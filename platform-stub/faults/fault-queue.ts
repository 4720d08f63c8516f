import * as z from 'zod/mini'

/** The longest delay that a fault may ask for. */
export const faultDelayMsMax = 3_600_000

/** A fault that is still set, with the number by which it is listed. */
export type SetFault<Fault> = Fault & { readonly id: number }

/**
 * The faults that are set, each with how often it will still happen. If several apply, the oldest one does; one that has
 * happened as often as it was asked for is gone.
 */
export class FaultQueue<Fault extends { readonly times: number }> {
  #faults: readonly SetFault<Fault>[] = []
  #nextId = 1

  /** Asked on every request before anything else, so that no fault costs nothing. */
  get isEmpty(): boolean {
    return this.#faults.length === 0
  }

  add(fault: Fault): SetFault<Fault> {
    const set = { ...fault, id: this.#nextId++ }
    this.#faults = [...this.#faults, set]
    return set
  }

  /** The first fault that fits, counted down; undefined where none does. */
  take(fits: (fault: Fault) => boolean): Fault | undefined {
    const taken = this.#faults.find(fits)
    if (taken) {
      this.#faults = this.#faults
        .map((fault) => (fault === taken ? { ...fault, times: fault.times - 1 } : fault))
        .filter(({ times }) => times > 0)
    }
    return taken
  }

  /** Newest first. */
  newest(count: number): SetFault<Fault>[] {
    return this.#faults.slice(-count).reverse()
  }

  /** Does nothing if it is gone. */
  remove(id: number): void {
    this.#faults = this.#faults.filter((fault) => fault.id !== id)
  }

  clear(): void {
    this.#faults = []
  }
}

/** How often a fault happens before it is gone. */
export const times = z._default(z.int().check(z.gte(1)), 1)

/** Real waiting, which no travel of the clock shortens. */
export const delayMs = z.int().check(z.gte(1), z.lte(faultDelayMsMax))
