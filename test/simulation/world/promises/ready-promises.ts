import type { Status } from '../../../../agent/status/status.ts'
import type { DiskFaults } from '../../disk/disk-faults.ts'
import type { GivenCall } from '../witnessed.ts'
import type { Break } from './judge.ts'

/** An agent is never ready without proof: it says so while it refuses calls because its disk is full. */
export class ReadyPromises {
  readonly #break: Break
  readonly #disk: DiskFaults
  readonly #startedMs: () => number
  /** The process that refused a call because the disk was full, and the faults of the disk then. */
  #refused: { readonly startedMs: number; readonly changes: number } | undefined

  /** @param startedMs When the process that runs now was started. */
  constructor(onBroken: Break, disk: DiskFaults, startedMs: () => number) {
    this.#break = onBroken
    this.#disk = disk
    this.#startedMs = startedMs
  }

  /** The agent answers a call. */
  onGiven(_call: GivenCall, text: string): void {
    if (text.includes('"code":"JOURNAL_FULL"'))
      this.#refused = { startedMs: this.#startedMs(), changes: this.#disk.changes }
  }

  /** The agent tells its status. */
  onStatusGiven({ ready, reasons }: Pick<Status, 'ready' | 'reasons'>): void {
    const isSame = this.#refused?.startedMs === this.#startedMs() && this.#refused.changes === this.#disk.changes
    if (ready && isSame && this.#disk.isFull)
      this.#break('an agent whose disk is full is not ready', JSON.stringify(reasons))
  }
}
