import { limits } from '../../contract/limits.ts'
import { ScanTimer } from '../clock/scan-timer.ts'
import { RemovedError } from '../durable-files/same-file.ts'
import { isGone } from '../durable-files/system-errors.ts'
import { unclaim } from './claim.ts'
import type { OutboxEvents } from './outbox-events.ts'
import { OutboxScan, type WhyIgnored } from './outbox-scan.ts'
import { type Recovering, recoverOwnFiles } from './own-files.ts'
import { answerRequest, type PathSpool, type RequestPathOptions } from './request-path.ts'
import { type ActiveRequest, next, type Orphaned, type RequestTable, type Waiting } from './requests.ts'

/** What the worker works with. */
export interface SpoolWorkerOptions extends RequestPathOptions {
  readonly table: RequestTable
  readonly outboxEvents: OutboxEvents
  /**
   * Looks at the directories before each scan.
   *
   * @throws {RemovedError} The spool is no longer the one that the agent owns.
   */
  readonly checkDirs: () => void
  /** Makes outbox and inbox where they are missing. It throws as `checkDirs`. */
  readonly makeDirs: () => void
  readonly journal: PathSpool['journal'] & Recovering['journal']
  readonly onIgnored: (name: string, why: WhyIgnored) => void
  readonly onRecovered: (claim: string) => void
}

const spoolLimits = { slots: limits.spoolInFlightMax, queuedMax: 64, publishingMax: 64, halfWrittenMax: 256 }
const deferredMs = 30_000

/**
 * Interface C: takes requests from the outbox, oldest first, and reads or calls eight of them at a time. The path of
 * one request is in `request-path.ts`, and `requests.ts` decides which request may continue.
 *
 * @see interface section 4.10
 */
export class SpoolWorker {
  readonly #options: SpoolWorkerOptions
  readonly #path: PathSpool
  readonly #stopping = new AbortController()
  readonly #timer: ScanTimer
  readonly #scan: OutboxScan
  #nextScan = Promise.withResolvers<void>()
  #onIdle: () => void = () => undefined

  constructor(options: SpoolWorkerOptions) {
    const { dirs, clock, table } = options
    this.#options = options
    this.#path = {
      ...options,
      stopping: this.#stopping.signal,
      set: (request) => this.#goOn(() => table.set(request)),
      remove: (request) => this.#goOn(() => table.remove(request)),
      defer: (request) => this.#goOn(() => table.defer(request, clock.monotonicMs() + deferredMs)),
      nextScan: () => this.#nextScan.promise,
      onError: (where, error) => this.#onError(where, error),
      onFatal: (error) => this.#onFatal(error),
    }
    this.#timer = new ScanTimer(clock, () => this.#look())
    this.#scan = new OutboxScan({ ...options, outbox: dirs.outbox })
  }

  /** Recovers what an earlier agent left unanswered, then works until it is stopped. */
  async start(): Promise<void> {
    const { table, onIgnored, onRecovered } = this.#options
    const onIgnoredFile = (name: string) => onIgnored(name, 'not-a-regular-file')
    for (const request of await recoverOwnFiles({ ...this.#options, onIgnored: onIgnoredFile })) {
      onRecovered(request.claim)
      table.add(request)
    }
    table.noteRecovered()
    await this.#timer.start()
  }

  /** Scans soon, instead of at the next turn. */
  wake(): void {
    this.#timer.wake()
  }

  /**
   * Claims nothing more and resolves when every call under way is answered. Files that are half-written or queued get
   * their names back, except those that an earlier agent had claimed: they may have been sent then.
   */
  async stop(): Promise<void> {
    const { table, outboxEvents } = this.#options
    this.#stopping.abort()
    outboxEvents.turnOff()
    await this.#timer.stop()
    if (table.isBusy) await new Promise<void>((resolve) => (this.#onIdle = resolve))
    // Together, so that they share the syncs.
    await Promise.all([...table.active].map((request) => this.#unclaim(request)))
  }

  async #unclaim(request: ActiveRequest): Promise<void> {
    const { table, onError } = this.#options
    if (request.at !== 'half-written' && request.at !== 'queued') return
    if (request.claimedBefore !== undefined) return
    try {
      await unclaim(request, this.#options)
      table.remove(request)
    } catch (error) {
      onError(request.claim, error as Error)
    }
  }

  async #look(): Promise<void> {
    const { dirs, table, outboxEvents, checkDirs } = this.#options
    try {
      checkDirs()
      await this.#scan.scan()
    } catch (error) {
      this.#onError(dirs.outbox, error as Error)
    }
    if (this.#stopping.signal.aborted) return
    this.#goOn()
    this.#nextScan.resolve()
    this.#nextScan = Promise.withResolvers()
    if (this.#scan.hasBacklog) outboxEvents.turnOff()
    else if (table.countClaimable(1) === 0) outboxEvents.turnOn()
  }

  /** Changes the table and continues every request that may continue. */
  #goOn(change: () => void = () => undefined): void {
    const { table } = this.#options
    change()
    for (;;) {
      const request = next(table, { ...spoolLimits, isStopping: this.#stopping.signal.aborted })
      if (!request) break
      if (request.at === 'queued') {
        table.set({ ...request, at: 'calling' })
        request.begin()
      } else {
        table.activate(request)
        void this.#answer(request)
      }
    }
    if (!table.isBusy) this.#onIdle()
  }

  async #answer(request: Waiting | Orphaned): Promise<void> {
    try {
      await answerRequest(request, this.#path)
    } catch (error) {
      this.#onFatal(error as Error)
      this.#path.set({ at: 'abandoned', name: request.name, id: request.id })
    }
  }

  #onError(where: string, error: Error): void {
    try {
      if (error instanceof RemovedError) throw error
      this.#options.onError(where, error)
      if (isGone(error)) this.#options.makeDirs()
    } catch (failure) {
      if (failure instanceof RemovedError) this.#onFatal(failure)
      else this.#options.onError(where, failure as Error)
    }
  }

  #onFatal(error: Error): void {
    this.#stopping.abort()
    this.#options.onFatal(error)
  }
}
