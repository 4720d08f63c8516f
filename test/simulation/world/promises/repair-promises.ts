import { notedRepairsIn } from '../../agent/model-outside.ts'
import type { DiskFaults } from '../../disk/disk-faults.ts'
import type { ModelDatabase } from '../../stores/model-database.ts'
import type { Break } from './judge.ts'
import type { LateStocks } from './late-stocks.ts'
import { Since } from './since.ts'

interface RepairPromisesParts {
  readonly break: Break
  /** Of its host. The references of its items begin with it. */
  readonly name: string
  readonly journal: ModelDatabase
  readonly disk: DiskFaults
  readonly lateStocks: LateStocks
  /** When the process that runs now was started; undefined if there is none. */
  readonly startedMs: () => number | undefined
  readonly nowMs: () => number
}

/** How long the journal may take to note what a call or a report has left, and what it had no room for before. */
const notedMsMax = 5_000

/**
 * While an older stock of an item may still arrive, the journal has a note to send the newest one again, which survives a power
 * cut. Most notes never matter, because another stock follows. So the journal is looked at while they are needed.
 */
export class RepairPromises {
  readonly #parts: RepairPromisesParts
  readonly #unnoted: Since
  /** Of the process that runs now. */
  #startedMs: number | undefined
  #diskChanges = 0

  constructor(parts: RepairPromisesParts) {
    this.#parts = parts
    this.#unnoted = new Since(parts.nowMs)
  }

  /** After the storm. */
  check(): void {
    const { name, disk, startedMs } = this.#parts
    const ofProcessMs = startedMs()
    if (ofProcessMs !== this.#startedMs || disk.changes !== this.#diskChanges) this.#unnoted.reset()
    this.#startedMs = ofProcessMs
    this.#diskChanges = disk.changes
    if (ofProcessMs === undefined || !disk.isHealthy) return
    const unnoted = this.#unnoted.look(this.#findUnnoted(ofProcessMs), notedMsMax)
    if (unnoted !== undefined) this.#parts.break('the journal has what must be sent again', `${name}: ${unnoted}`)
  }

  #findUnnoted(startedMs: number): readonly string[] {
    const { name, journal, lateStocks } = this.#parts
    const toRepair = [...lateStocks.findItemsToRepair(startedMs)].filter((itemRef) => itemRef.startsWith(`${name}-`))
    if (toRepair.length === 0) return []
    const noted = notedRepairsIn(journal.syncedDb)
    return toRepair.filter((itemRef) => !noted.has(itemRef))
  }
}
