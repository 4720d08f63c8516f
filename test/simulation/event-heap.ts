/** What a heap sorts by: the moment, then a number that decides between events of one moment. */
export interface Sorted {
  readonly atMs: number
  readonly tie: number
}

/** A binary heap: the earliest comes first. */
export class EventHeap<Event extends Sorted> {
  readonly #events: Event[] = []

  push(event: Event): void {
    let at = this.#events.length
    for (let above = (at - 1) >> 1; at > 0 && isEarlier(event, this.#at(above)); above = (at - 1) >> 1) {
      this.#events[at] = this.#at(above)
      at = above
    }
    this.#events[at] = event
  }

  pop(): Event | undefined {
    const first = this.#events[0]
    const last = this.#events.pop()
    if (!first || !last || first === last) return first
    let at = 0
    for (;;) {
      const left = 2 * at + 1
      const right = left + 1
      if (left >= this.#events.length) break
      const below = right < this.#events.length && isEarlier(this.#at(right), this.#at(left)) ? right : left
      if (!isEarlier(this.#at(below), last)) break
      this.#events[at] = this.#at(below)
      at = below
    }
    this.#events[at] = last
    return first
  }

  #at(index: number): Event {
    return this.#events[index] as Event
  }
}

function isEarlier(one: Sorted, other: Sorted): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.tie < other.tie)
}
