import { notedRepairsIn } from '../../agent/model-outside.ts'
import type { DiskFaults } from '../../disk/disk-faults.ts'
import type { ModelDatabase } from '../../stores/model-database.ts'
import type { ModelPlatform } from '../model-platform.ts'
import type { SentRequest } from '../sent-request.ts'
import type { AgentWitness } from '../witnessed.ts'
import type { Break } from './judge.ts'
import type { LateStocks } from './late-stocks.ts'
import { Since } from './since.ts'
import { SteadyDisk } from './steady-disk.ts'
import { stockOf } from './stock-of.ts'

interface RepairPromisesParts {
  readonly break: Break
  /** Of its host. The references of its items begin with it. */
  readonly name: string
  readonly journal: ModelDatabase
  readonly disk: DiskFaults
  readonly lateStocks: LateStocks
  readonly platform: ModelPlatform
  /** When the process that runs now was started; undefined if there is none. */
  readonly startedMs: () => number | undefined
  readonly nowMs: () => number
}

/** How long the journal may take to note what a call or a report has left: a few syncs. Several times as long on a slow disk. */
const notedMsMax = 1_000
const syncsMax = 4
/** How long after a full disk has room the journal may take to note what it could not note. */
const roomNotedMs = 5_000

/**
 * While an older stock of an item may still arrive, the journal has a note to send the newest one again, which survives a power
 * cut. When a newer stock leaves, a power cut brings back no older note. Most notes never matter, because another stock follows.
 * So the journal is looked at while they are needed.
 */
export class RepairPromises implements Partial<AgentWitness> {
  readonly #parts: RepairPromisesParts
  readonly #unnoted: Since
  /** Of the process that runs now. */
  #startedMs: number | undefined
  readonly #disk: SteadyDisk

  constructor(parts: RepairPromisesParts) {
    this.#parts = parts
    this.#unnoted = new Since(parts.nowMs)
    this.#disk = new SteadyDisk(parts.disk, parts.nowMs)
  }

  onSent(request: SentRequest): undefined {
    const { journal, lateStocks, platform } = this.#parts
    const startedMs = this.#parts.startedMs()
    const stock = stockOf(request, platform)
    // On a full disk what is sent again may be newer than its note.
    if (stock?.by !== 'call' || !this.#isDiskSettled() || !lateStocks.isNewInCalls(stock)) return
    const { itemRef, quantity } = stock
    const noted = notedRepairsIn(journal.syncedDb).get(itemRef)
    if (noted !== undefined && noted !== quantity)
      this.#parts.break('no older stock comes back', `${itemRef}: ${noted} is noted, ${quantity} leaves`)
    if (noted === undefined && startedMs !== undefined && lateStocks.mayArriveLate(itemRef, startedMs))
      this.#parts.break(
        'the note to send a stock again is on the disk before the stock leaves',
        `${itemRef}: ${quantity}`,
      )
  }

  /** After the storm. */
  check(): void {
    const startedMs = this.#parts.startedMs()
    const isSettled = this.#isDiskSettled()
    if (!isSettled || startedMs !== this.#startedMs) this.#unnoted.reset()
    this.#startedMs = startedMs
    if (!isSettled || startedMs === undefined) return
    const maxMs = notedMsMax + syncsMax * this.#parts.disk.slowMsMax.value
    const unnoted = this.#unnoted.look(this.#findUnnoted(startedMs), maxMs)
    if (unnoted !== undefined)
      this.#parts.break('the journal has what must be sent again', `${this.#parts.name}: ${unnoted}`)
  }

  /** Whether the disk has been healthy, and as fast as it is, for a while. */
  #isDiskSettled(): boolean {
    const sinceMs = this.#disk.look()
    return sinceMs !== undefined && this.#parts.nowMs() > sinceMs + roomNotedMs
  }

  #findUnnoted(startedMs: number): readonly string[] {
    const { name, journal, lateStocks } = this.#parts
    const toRepair = lateStocks
      .findItemsToRepair(startedMs)
      .filter(({ itemRef }) => itemRef.startsWith(`${name}-`))
      .toArray()
    if (toRepair.length === 0) return []
    const noted = notedRepairsIn(journal.syncedDb)
    return toRepair
      .filter(({ itemRef }) => !noted.has(itemRef))
      .map(({ itemRef, newestMs }) => `${itemRef}, the newest of ${Math.round(newestMs)}`)
  }
}
