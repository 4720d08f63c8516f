import type { Call } from '../call/call.ts'

/** One request file, from its name in the outbox to its answer. Each state holds only what is true in it. */
export type FileRequest =
  | Waiting
  /** A name in the outbox that could not be claimed. It is looked at again after `untilMs` (monotonic). */
  | { readonly at: 'deferred'; readonly name: string; readonly untilMs: number }
  | Orphaned
  | ActiveRequest

/** A name in the outbox. */
export interface Waiting {
  readonly at: 'waiting'
  readonly name: string
  readonly id: string
}

/** A request whose file has the name of a claim. */
export interface Claim {
  readonly name: string
  readonly id: string
  /** The file's name now. */
  readonly claim: string
  /** Set when an earlier agent made the claim. */
  readonly claimedBefore: Call['claimedBefore']
}

/** A claim of an agent that ended before it answered. */
export interface Orphaned extends Claim {
  readonly at: 'orphaned'
}

/** A request that the agent works on. It has its id for itself: a second file of that id waits. */
export type ActiveRequest =
  /** It is renamed and read, in a slot. `isRetried`: that keeps failing and is tried again, so that others may go first. */
  | { readonly at: 'claiming'; readonly name: string; readonly id: string; readonly isRetried: boolean }
  /** Its file is not whole yet and is read again after each scan. */
  | (Claim & { readonly at: 'half-written' })
  | Queued
  /** Its call is under way, in a slot. */
  | (Claim & { readonly at: 'calling' })
  /** Its answer is written. `isObstructed`: a directory has the name that a file must get. */
  | (Claim & { readonly at: 'publishing'; readonly isObstructed: boolean })
  /** The agent stops before this one could be read or answered. The next start continues with it. */
  | { readonly at: 'abandoned'; readonly name: string; readonly id: string }

/** A request that waits for earlier calls of its item or transaction. With its turn it waits only for a slot. */
export interface Queued extends Claim {
  readonly at: 'queued'
  readonly hasTurn: boolean
  readonly begin: () => void
}

/** What `next` decides from. Orphaned and waiting requests are in order, oldest first. */
export type Requests = Pick<RequestTable, 'active' | 'orphaned' | 'waiting' | 'isActive'>

/** The bounds of `next`. */
export interface SpoolLimits {
  /** Number of requests that are read or called at a time. */
  readonly slots: number
  /** Maximum number of requests that may wait for their turn without using a slot. */
  readonly queuedMax: number
  /** Maximum number of answers that may be written without using a slot. */
  readonly publishingMax: number
  /**
   * Maximum number of half-written files that use no slot. Without it, all those that a full disk cut off are refused in
   * the same moment, and their answers need more open files than a program may have.
   */
  readonly halfWrittenMax: number
  /** Nothing more is claimed. */
  readonly isStopping: boolean
}

/**
 * The request that continues now: one whose call may begin, else one to claim. Claims are made one after another, so
 * that their order is the order of the calls.
 *
 * Requests above `queuedMax`, `publishingMax` and `halfWrittenMax` count against the slots, but only for new claims. A
 * call whose turn has come is not delayed by them, because they may be waiting for it.
 */
export function next(
  { active, orphaned, waiting, isActive }: Requests,
  limits: SpoolLimits,
): Queued | Orphaned | Waiting | undefined {
  let [inSlots, queued, publishing, halfWritten, isClaiming] = [0, 0, 0, 0, false]
  let withTurn: Queued | undefined
  for (const request of active) {
    if (request.at === 'claiming' || request.at === 'calling') inSlots++
    if (request.at === 'claiming' && !request.isRetried) isClaiming = true
    if (request.at === 'publishing' && !request.isObstructed) publishing++
    if (request.at === 'half-written') halfWritten++
    if (request.at === 'queued' && !request.hasTurn) queued++
    if (request.at === 'queued' && request.hasTurn) withTurn ??= request
  }
  if (withTurn) return inSlots < limits.slots ? withTurn : undefined
  const excess =
    Math.max(0, queued - limits.queuedMax) +
    Math.max(0, publishing - limits.publishingMax) +
    Math.max(0, halfWritten - limits.halfWrittenMax)
  if (limits.isStopping || isClaiming || inSlots + excess >= limits.slots) return undefined
  return firstOf(orphaned, isActive) ?? firstOf(waiting, isActive)
}

function firstOf<Candidate extends Orphaned | Waiting>(
  candidates: Iterable<Candidate>,
  isActive: (id: string) => boolean,
): Candidate | undefined {
  for (const candidate of candidates) if (!isActive(candidate.id)) return candidate
  return undefined
}

/**
 * All requests of a spool, each in one state. Ids that differ only in case are worked on one after another, because some
 * file systems take their files for one.
 */
export class RequestTable {
  /** In the order of their claims. */
  readonly #active = new Map<string, ActiveRequest>()
  /** When each request without an answer was first seen (monotonic), by its name, oldest first. */
  readonly #seenMs = new Map<string, number>()
  readonly #nowMs: () => number
  readonly #orphaned = new Set<Orphaned>()
  readonly #deferred = new Map<string, FileRequest & { at: 'deferred' }>()
  readonly #waitingNames = new Set<string>()
  /**
   * A request that is taken out leaves a gap. The gaps at the beginning are removed in bulk: there may be 100,000
   * requests.
   */
  #waiting: (Waiting | undefined)[] = []
  #firstWaiting = 0
  #isRecovered = false

  readonly isActive = (id: string): boolean => this.#active.has(keyOf(id))

  /** @param nowMs The monotonic clock. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** When the oldest request without an answer was first seen (monotonic); undefined if there is none. */
  get oldestMs(): number | undefined {
    return this.#seenMs.values().next().value
  }

  /** Number of requests that are claimed and not answered. */
  get claimed(): number {
    return this.#active.size + this.#orphaned.size
  }

  get active(): Iterable<ActiveRequest> {
    return this.#active.values()
  }

  get orphaned(): Iterable<Orphaned> {
    return this.#orphaned
  }

  get waiting(): Iterable<Waiting> {
    return this.#eachWaiting()
  }

  /** Number of waiting requests whose id is free. Counts up to `max`. */
  countClaimable(max: number): number {
    let count = 0
    for (const { id } of this.waiting) if (!this.isActive(id) && ++count === max) break
    return count
  }

  /** Whether a request is in a state that ends by itself, and soon. */
  get isBusy(): boolean {
    return this.#active
      .values()
      .some((request) => (request.at === 'queued' ? request.hasTurn : busyStates.has(request.at)))
  }

  /** Whether a name in the outbox is known already. */
  isKnown(name: string): boolean {
    return this.#waitingNames.has(name) || this.#deferred.has(name)
  }

  /** The claims that earlier agents left are all here. */
  noteRecovered(): void {
    this.#isRecovered = true
  }

  /**
   * Whether a request with this id is claimed and has no answer yet. Any id may be, until the claims of earlier agents are
   * read: a full disk delays that for as long as it is full.
   */
  isUnanswered(id: string): boolean {
    return !this.#isRecovered || this.isActive(id) || [...this.#orphaned].some((request) => request.id === id)
  }

  /** Adds a request behind the others. */
  add(request: Waiting | Orphaned): void {
    if (!this.#seenMs.has(request.name)) this.#seenMs.set(request.name, this.#nowMs())
    if (request.at === 'orphaned') this.#orphaned.add(request)
    else {
      this.#waiting.push(request)
      this.#waitingNames.add(request.name)
    }
  }

  /** The request is about to be claimed, or its claim to be read. */
  activate(request: Waiting | Orphaned): void {
    if (request.at === 'orphaned') this.#orphaned.delete(request)
    else this.#takeOut(request)
    this.set({ at: 'claiming', name: request.name, id: request.id, isRetried: false })
  }

  /** Replaces the state of an active request. */
  set(request: ActiveRequest): void {
    this.#active.set(keyOf(request.id), request)
  }

  /** The request is answered, or its file is gone. */
  remove({ id }: { readonly id: string }): void {
    const name = this.#active.get(keyOf(id))?.name ?? ''
    this.#active.delete(keyOf(id))
    this.#seenMs.delete(name)
    // A newer file has this name.
    if (this.#waitingNames.has(name)) this.#seenMs.set(name, this.#nowMs())
  }

  /** The request could not be claimed. */
  defer({ name, id }: Waiting, untilMs: number): void {
    // Behind the others, also where it was deferred before.
    this.#deferred.delete(name)
    this.#active.delete(keyOf(id))
    this.#deferred.set(name, { at: 'deferred', name, untilMs })
  }

  /** Forgets deferred names whose time is over, whether their files still exist or not. They are in the order of time. */
  forgetDeferred(nowMs: number): void {
    for (const { name, untilMs } of this.#deferred.values()) {
      if (untilMs > nowMs) return
      this.#deferred.delete(name)
      if (!this.#isClaimed(name)) this.#seenMs.delete(name)
    }
  }

  /** A scan may see a name once more while its rename is tried again, so that a deferred one is claimed. */
  #isClaimed(name: string): boolean {
    return this.#active.values().some((request) => request.name === name)
  }

  #takeOut(request: Waiting): void {
    this.#waitingNames.delete(request.name)
    this.#waiting[this.#waiting.indexOf(request, this.#firstWaiting)] = undefined
    while (this.#firstWaiting < this.#waiting.length && !this.#waiting[this.#firstWaiting]) this.#firstWaiting++
    if (this.#firstWaiting < 1_024 || this.#firstWaiting * 2 < this.#waiting.length) return
    this.#waiting = this.#waiting.slice(this.#firstWaiting)
    this.#firstWaiting = 0
  }

  *#eachWaiting(): Generator<Waiting> {
    for (let n = this.#firstWaiting; n < this.#waiting.length; n++) {
      const request = this.#waiting[n]
      if (request) yield request
    }
  }
}

const busyStates: ReadonlySet<ActiveRequest['at']> = new Set(['claiming', 'calling', 'publishing'])
const keyOf = (id: string) => id.toLowerCase()
