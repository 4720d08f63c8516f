import type { DiskFaults } from '../../disk/disk-faults.ts'
import type { ModelDatabase } from '../../stores/model-database.ts'
import type { Break } from './judge.ts'
import type { LateStocks } from './late-stocks.ts'
import { Since } from './since.ts'

interface RepairPromisesParts {
  readonly break: Break
  /** Of its host, and of its items. */
  readonly name: string
  readonly journal: ModelDatabase
  readonly disk: DiskFaults
  readonly lateStocks: LateStocks
  /** When the process that runs now was started; undefined if there is none. */
  readonly startedMs: () => number | undefined
  readonly nowMs: () => number
}

/** A journal needs so long at most to note what a call or a report has left. */
const notedMsMax = 5_000

/**
 * While an older stock may still arrive, the journal has the newest one, which is sent again after that. Most of these notes do not
 * matter in the end, because the next stock follows. So they are looked at while they are needed.
 */
export class RepairPromises {
  readonly #parts: RepairPromisesParts
  readonly #unnoted: Since
  #lastChanges = 0

  constructor(parts: RepairPromisesParts) {
    this.#parts = parts
    this.#unnoted = new Since(parts.nowMs)
  }

  /** After the storm. */
  check(): void {
    const { name, disk } = this.#parts
    // A process knows better than its journal while that has no room.
    if (!disk.isHealthy || disk.changes !== this.#lastChanges) this.#unnoted.reset()
    this.#lastChanges = disk.changes
    const unnoted = this.#unnoted.look(this.#findUnnoted(), notedMsMax)
    if (unnoted !== undefined) this.#parts.break('the journal has what must be sent again', `${name}: ${unnoted}`)
  }

  *#findUnnoted(): Generator<string> {
    const { name, journal, lateStocks, startedMs } = this.#parts
    const sinceMs = startedMs()
    if (sinceMs === undefined) return
    const noted = new Set(
      journal.db
        .prepare('SELECT item_ref FROM repair')
        .all()
        .map((row) => row['item_ref']),
    )
    for (const itemRef of lateStocks.findThreatened(sinceMs))
      if (itemRef.startsWith(`${name}-`) && !noted.has(itemRef)) yield itemRef
  }
}
