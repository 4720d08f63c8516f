import { lstatSync, opendirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../clock/clock.ts'
import { idOfRequest, isDeviceName } from './names.ts'

/** A request that waits in the outbox. */
export interface WaitingRequest {
  readonly name: string
  readonly id: string
  /** When it was first seen, by the monotonic clock. */
  readonly seenAtMs: number
}

/** Why a name that looks like a request, or like a file of the agent's, is left alone. */
export type WhyLeftAlone = 'device-name' | 'not-a-regular-file'

/** Where a scan looks, and who hears of names that it passes over. */
export interface OutboxScanOptions {
  readonly outbox: string
  readonly clock: Clock
  /** Told once for each name that is left alone although it looks like a request. */
  readonly leftAlone: (name: string, why: WhyLeftAlone) => void
}

const batchSize = 1_024
const backlogMax = 64
/**
 * A directory that has not changed is not read again, except this often: not every file system tells every change. And
 * one that changed shortly before it was read may have changed once more in the same tick of its clock.
 */
const trustedMs = 2_000
const settledMs = 100
const putOffMs = 30_000

/**
 * The requests in an outbox, oldest first: by the scan that first saw them, then by their time of change, then by name.
 * Copied files keep old times, so the time alone decides nothing.
 *
 * The directory is read in bounded batches, and a file is looked at once.
 */
export class OutboxScan {
  readonly #options: OutboxScanOptions
  readonly #known = new Set<string>()
  readonly #told = new Set<string>()
  readonly #putOffUntilMs = new Map<string, number>()
  #waiting: WaitingRequest[] = []
  #next = 0
  #readAtMs = Number.NEGATIVE_INFINITY
  #changedAtNs = -1n

  constructor(options: OutboxScanOptions) {
    this.#options = options
  }

  /** How many requests are known to wait. */
  get length(): number {
    return this.#waiting.length - this.#next
  }

  /** Whether so many wait that nothing that came later can be next: then the directory is not read. */
  get hasBacklog(): boolean {
    return this.length >= backlogMax
  }

  /** The oldest, which leaves the line. */
  take(): WaitingRequest | undefined {
    this.#forgetPutOff()
    for (let request = this.#shift(); request; request = this.#shift()) {
      if (!this.#putOffUntilMs.has(request.name)) return request
    }
    return undefined
  }

  /** A request that cannot be taken now is passed over for 30 s. */
  putOff(name: string): void {
    this.#putOffUntilMs.delete(name)
    this.#putOffUntilMs.set(name, this.#options.clock.monotonicMs() + putOffMs)
  }

  /** How many requests are passed over. */
  get putOffCount(): number {
    return this.#putOffUntilMs.size
  }

  /** Whether a name is still there or not: they lie in the order of their times. */
  #forgetPutOff(): void {
    const nowMs = this.#options.clock.monotonicMs()
    for (const [name, untilMs] of this.#putOffUntilMs) {
      if (untilMs > nowMs) return
      this.#putOffUntilMs.delete(name)
    }
  }

  #shift(): WaitingRequest | undefined {
    const request = this.#waiting[this.#next]
    if (!request) return undefined
    this.#next++
    if (this.#next > batchSize && this.#next * 2 > this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#next)
      this.#next = 0
    }
    this.#known.delete(request.name)
    return request
  }

  /**
   * Looks for new requests.
   *
   * @throws {NodeJS.ErrnoException} The outbox cannot be read.
   */
  async look(): Promise<void> {
    if (this.hasBacklog || !this.#mayHaveChanged()) return
    const fresh: { name: string; id: string; mtimeMs: number }[] = []
    const dir = opendirSync(this.#options.outbox, { bufferSize: batchSize })
    try {
      for (let count = 1; ; count++) {
        const name = dir.readSync()?.name
        if (name === undefined) break
        const id = idOfRequest(name)
        const mtimeMs = id === undefined || this.#known.has(name) ? undefined : this.#regularSince(name, id)
        if (id !== undefined && mtimeMs !== undefined) fresh.push({ name, id, mtimeMs })
        if (count % batchSize === 0) await new Promise(setImmediate)
      }
    } finally {
      dir.closeSync()
    }
    fresh.sort((a, b) => a.mtimeMs - b.mtimeMs || (a.name < b.name ? -1 : 1))
    const seenAtMs = this.#options.clock.monotonicMs()
    for (const { name, id } of fresh) {
      this.#known.add(name)
      this.#waiting.push({ name, id, seenAtMs })
    }
  }

  #mayHaveChanged(): boolean {
    const { clock, outbox } = this.#options
    const { mtimeNs } = statSync(outbox, { bigint: true })
    const nowMs = clock.monotonicMs()
    if (mtimeNs === this.#changedAtNs && nowMs - this.#readAtMs < trustedMs) return false
    const isSettled = clock.wallMs() - Number(mtimeNs / 1_000_000n) > settledMs
    this.#changedAtNs = isSettled ? mtimeNs : -1n
    this.#readAtMs = nowMs
    return true
  }

  /** The time of change of a regular file; undefined for what must not be opened, or is gone. */
  #regularSince(name: string, id: string): number | undefined {
    if (isDeviceName(id)) return this.#leaveAlone(name, 'device-name')
    const stat = lstatSync(join(this.#options.outbox, name), { throwIfNoEntry: false })
    if (!stat) return undefined
    return stat.isFile() ? stat.mtimeMs : this.#leaveAlone(name, 'not-a-regular-file')
  }

  #leaveAlone(name: string, why: WhyLeftAlone): undefined {
    if (this.#told.has(name) || this.#told.size >= batchSize) return undefined
    this.#told.add(name)
    this.#options.leftAlone(name, why)
    return undefined
  }
}
