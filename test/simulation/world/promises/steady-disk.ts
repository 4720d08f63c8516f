import type { DiskFaults } from '../../disk/disk-faults.ts'

/** Since when a disk is as it is: healthy, and as fast. */
export class SteadyDisk {
  readonly #disk: DiskFaults
  readonly #nowMs: () => number
  /** As it was at the last look. */
  #seen: { readonly changes: number; readonly slowMsMax: number; readonly sinceMs: number } | undefined

  constructor(disk: DiskFaults, nowMs: () => number) {
    this.#disk = disk
    this.#nowMs = nowMs
  }

  /** @returns Virtual ms, not before the first look; undefined while a fault strikes the disk. */
  look(): number | undefined {
    const { changes, isHealthy } = this.#disk
    const slowMsMax = this.#disk.slowMsMax.value
    if (this.#seen?.changes !== changes || this.#seen.slowMsMax !== slowMsMax)
      this.#seen = { changes, slowMsMax, sinceMs: this.#nowMs() }
    return isHealthy ? this.#seen.sinceMs : undefined
  }
}
