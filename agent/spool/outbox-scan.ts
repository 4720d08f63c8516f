import { join } from 'node:path'
import type { Clock } from '../clock/clock.ts'
import type { Files } from '../durable-files/files.ts'
import { IgnoredNames, mistakeAfterMs } from './ignored-names.ts'
import { idOfRequest, isDeviceName, isLikeRequest } from './names.ts'
import type { RequestTable } from './requests.ts'

/** Why a name that looks like a request is ignored. */
export type WhyIgnored = 'device-name' | 'not-a-regular-file' | 'not-a-request-name'

/** What a scan works with. */
export interface OutboxScanOptions {
  readonly outbox: string
  readonly files: Pick<Files, 'lstatSync' | 'opendirSync' | 'statSync'>
  readonly clock: Clock
  /** Gets what is found. */
  readonly table: RequestTable
  /** Called once for each name that looks like a request and is ignored, as long as it is there. */
  readonly onIgnored: (name: string, why: WhyIgnored) => void
}

const batchSize = 1_024
/** With this many new requests at hand, the directory is not read. */
const backlogMin = 64
/**
 * A directory that has not changed is read again only after this time, because not every file system reports every
 * change. One that changed just before it was read may have changed again in the same tick of its clock.
 */
const trustedMs = 2_000
const settledMs = 100

/**
 * Finds new requests in the outbox, oldest first: by the scan that first saw them, then by their time of change, then
 * by name. Copied files keep old times, so the time decides nothing by itself.
 *
 * The directory is read in bounded batches, and each file's entry once.
 */
export class OutboxScan {
  readonly #options: OutboxScanOptions
  readonly #ignored: IgnoredNames<WhyIgnored>
  #readAtMs = Number.NEGATIVE_INFINITY
  #changedAtNs = -1n

  constructor(options: OutboxScanOptions) {
    this.#options = options
    this.#ignored = new IgnoredNames(options.clock, options.onIgnored)
  }

  /** Whether the requests that can be claimed are so many that no newer one can be next. */
  get hasBacklog(): boolean {
    return this.#options.table.countClaimable(backlogMin) === backlogMin
  }

  /**
   * Adds new requests to the table.
   *
   * @throws {NodeJS.ErrnoException} The outbox cannot be read.
   */
  async scan(): Promise<void> {
    const { outbox, files, clock, table } = this.#options
    table.forgetDeferred(clock.monotonicMs())
    if (this.hasBacklog || !this.#mayHaveChanged()) return
    const found: { name: string; id: string; mtimeMs: number }[] = []
    const dir = files.opendirSync(outbox, { bufferSize: batchSize })
    try {
      for (let count = 1; ; count++) {
        const name = dir.readSync()?.name
        if (name === undefined) break
        const id = idOfRequest(name)
        if (id === undefined && isLikeRequest(name)) this.#ignored.add(name, 'not-a-request-name', mistakeAfterMs)
        const mtimeMs = id === undefined || table.isKnown(name) ? undefined : this.#mtimeOfRegular(name, id)
        if (id !== undefined && mtimeMs !== undefined) found.push({ name, id, mtimeMs })
        if (count % batchSize === 0) await clock.nextTurn()
      }
    } finally {
      dir.closeSync()
    }
    this.#ignored.endScan()
    found.sort((a, b) => a.mtimeMs - b.mtimeMs || (a.name < b.name ? -1 : 1))
    for (const { name, id } of found) table.add({ at: 'waiting', name, id })
  }

  #mayHaveChanged(): boolean {
    const { clock, files, outbox } = this.#options
    const { mtimeNs } = files.statSync(outbox, { bigint: true })
    const nowMs = clock.monotonicMs()
    if (mtimeNs === this.#changedAtNs && nowMs - this.#readAtMs < trustedMs) return false
    const isSettled = clock.wallMs() - Number(mtimeNs / 1_000_000n) > settledMs
    this.#changedAtNs = isSettled ? mtimeNs : -1n
    this.#readAtMs = nowMs
    return true
  }

  /** The time of change of a regular file; undefined for what must not be opened, or is gone. */
  #mtimeOfRegular(name: string, id: string): number | undefined {
    if (isDeviceName(id)) return this.#ignore(name, 'device-name')
    const { files, outbox } = this.#options
    const stat = files.lstatSync(join(outbox, name), { throwIfNoEntry: false })
    if (!stat) return undefined
    return stat.isFile() ? stat.mtimeMs : this.#ignore(name, 'not-a-regular-file')
  }

  #ignore(name: string, why: WhyIgnored): undefined {
    this.#ignored.add(name, why)
  }
}
