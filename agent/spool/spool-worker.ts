import pLimit from 'p-limit'
import { limits } from '../../contract/limits.ts'
import { isGone } from '../durable-files/disk-errors.ts'
import { RemovedError } from '../durable-files/same-file.ts'
import { ActiveIds } from './active-ids.ts'
import { type LeftClaim, settleLeftovers } from './leftovers.ts'
import { Looks } from './looks.ts'
import { OutboxScan, type WaitingRequest, type WhyLeftAlone } from './outbox-scan.ts'
import { RequestPath, type RequestPathOptions } from './request-path.ts'
import { makeSpoolDirs, type SpoolDirs } from './spool-dirs.ts'

/** What the worker works with. */
export interface SpoolWorkerOptions
  extends Omit<RequestPathOptions, 'stopping' | 'resume' | 'left' | 'notClaimed' | 'troubled' | 'broke'> {
  /** Whether ids that differ in case alone are one, as the file system says. */
  readonly isCaseInsensitive: (dirs: SpoolDirs) => boolean
  readonly earlyWaking: EarlyWaking
  /** @throws {RemovedError} The spool is not the one that the agent owns any more. */
  readonly assertOwned: () => void
  readonly events: SpoolEvents
}

/** So many may be claimed and wait for others of their item without a place; those beyond count as if they held one. */
const inLineMax = 64
/** So many answers may be on their way to the disk without a place; those beyond count as if they held one. */
const publishingMax = 64

/** What can wake the worker before its next look. */
export interface EarlyWaking {
  listen(): void
  /** While so much waits that nothing new can be next. */
  rest(): void
}

/** What a person should hear of. */
export interface SpoolEvents {
  /** What lies in the outbox under a name that looks like a request, or like one of the agent's own. */
  leftAlone(name: string, why: WhyLeftAlone): void
  /** The directory, or one file in it, cannot be worked with now. It is tried again. */
  troubled(where: string, error: Error): void
  recovered(what: string): void
  /** A sync to disk failed: what stands there is not known any more, and the agent must stop. */
  broke(error: Error): void
}

/**
 * Interface C: takes requests from the outbox, oldest first, and has eight of them read and called at a time. What
 * becomes of one is in `request-path.ts`.
 *
 * @see interface section 4.10
 */
export class SpoolWorker {
  readonly #options: SpoolWorkerOptions
  readonly #stopping = new AbortController()
  readonly #looks: Looks
  readonly #scan: OutboxScan
  readonly #places = pLimit(limits.spoolInFlightMax)
  readonly #ids = new ActiveIds()
  readonly #path: RequestPath
  readonly #running = new Set<Promise<void>>()
  readonly #left: LeftClaim[] = []
  #isCaseInsensitive = false

  constructor(options: SpoolWorkerOptions) {
    this.#options = options
    const { dirs, clock, events } = options
    this.#looks = new Looks(clock, () => this.#look())
    this.#scan = new OutboxScan({ outbox: dirs.outbox, clock, leftAlone: (name, why) => events.leftAlone(name, why) })
    this.#path = new RequestPath({
      ...options,
      stopping: this.#stopping.signal,
      resume: (work) => this.#run(work),
      left: (id) => {
        this.#ids.leave(this.#key(id))
        this.#fillPlaces()
      },
      notClaimed: (name) => this.#scan.putOff(name),
      troubled: (where, error) => {
        events.troubled(where, error)
        if (isGone(error)) this.#makeDirsAgain()
      },
      broke: (error) => this.#broke(error),
    })
  }

  /** How many requests are known to wait, claimed ones apart. */
  get backlog(): number {
    return this.#scan.length
  }

  /** Settles what a former agent left, then works until it is stopped. */
  async start(): Promise<void> {
    const { dirs, events, unanswered } = this.#options
    this.#isCaseInsensitive = this.#options.isCaseInsensitive(dirs)
    const leftAlone = (name: string) => events.leftAlone(name, 'not-a-regular-file')
    this.#left.push(...(await settleLeftovers({ ...this.#options, leftAlone })))
    for (const { claim, id } of this.#left) {
      events.recovered(claim)
      unanswered.add(id)
    }
    await this.#looks.start()
  }

  /** Looks soon instead of at the next turn. */
  wake(): void {
    this.#looks.wake()
  }

  /**
   * Claims nothing more, and resolves when what is under way is answered. Files that are unfinished or wait for others
   * get their name back.
   */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#options.earlyWaking.rest()
    await this.#looks.stop()
    while (this.#running.size > 0) await Promise.all(this.#running)
    // Now that nothing is read for the first time any more, what is unfinished is known.
    await this.#path.leaveOff()
  }

  async #look(): Promise<void> {
    try {
      this.#options.assertOwned()
      await this.#scan.look()
    } catch (error) {
      if (error instanceof RemovedError) this.#broke(error)
      else if (isGone(error)) this.#makeDirsAgain()
      else this.#options.events.troubled(this.#options.dirs.outbox, error as Error)
    }
    if (this.#stopping.signal.aborted) return
    for (const work of this.#path.reread()) this.#run(work)
    this.#fillPlaces()
    if (this.#scan.hasBacklog) this.#options.earlyWaking.rest()
    else if (this.#scan.length === 0) this.#options.earlyWaking.listen()
  }

  /** Gives every free place to the oldest request, as soon as it is free. */
  #fillPlaces(): void {
    while (this.#taken < limits.spoolInFlightMax) {
      const request = this.#stopping.signal.aborted ? undefined : this.#next()
      if (!request) return
      const work = () => this.#path.work(request)
      if (this.#ids.take(this.#key(request.id), () => this.#run(work))) this.#run(work)
    }
  }

  /** How many places are taken, or as good as. */
  get #taken(): number {
    return (
      this.#places.activeCount +
      this.#places.pendingCount +
      Math.max(0, this.#path.inLine - inLineMax) +
      Math.max(0, this.#path.publishing - publishingMax)
    )
  }

  /** What a former agent claimed goes before anything new. */
  #next(): LeftClaim | WaitingRequest | undefined {
    return this.#left.shift() ?? this.#scan.take()
  }

  /** Works in one of the places, and gives it on. */
  #run(work: () => Promise<void>): void {
    const running: Promise<void> = this.#places(work).then(() => {
      this.#running.delete(running)
      this.#fillPlaces()
    })
    this.#running.add(running)
  }

  #makeDirsAgain(): void {
    try {
      this.#options.assertOwned()
      makeSpoolDirs(this.#options.dirs)
    } catch (error) {
      if (error instanceof RemovedError) this.#broke(error)
      else this.#options.events.troubled(this.#options.dirs.root, error as Error)
    }
  }

  #broke(error: Error): void {
    this.#stopping.abort()
    this.#options.events.broke(error)
  }

  #key(id: string): string {
    return this.#isCaseInsensitive ? id.toLowerCase() : id
  }
}
