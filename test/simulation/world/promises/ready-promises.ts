import type { Status } from '../../../../agent/status/status.ts'
import type { DiskFaults } from '../../disk/disk-faults.ts'
import type { Break } from './judge.ts'

/** An agent is never ready without proof: it says so while it refuses calls because its disk is full. */
export class ReadyPromises {
  readonly #break: Break
  readonly #disk: DiskFaults
  /** The process that refused a call because the disk was full, and the faults of the disk then. */
  #refused: { readonly startedMs: number; readonly changes: number } | undefined

  constructor(onBroken: Break, disk: DiskFaults) {
    this.#break = onBroken
    this.#disk = disk
  }

  /** The agent answers a call. @param startedMs Of its process. */
  onGiven(text: string, startedMs: number): void {
    if (text.includes('"code":"JOURNAL_FULL"')) this.#refused = { startedMs, changes: this.#disk.changes }
  }

  /** The agent tells its status. @param startedMs Of its process. */
  onStatusGiven({ ready, reasons }: Pick<Status, 'ready' | 'reasons'>, startedMs: number): void {
    const isSame = this.#refused?.startedMs === startedMs && this.#refused.changes === this.#disk.changes
    if (ready && isSame && this.#disk.isFull)
      this.#break('an agent whose disk is full is not ready', JSON.stringify(reasons))
  }
}
