import { closeSync, fdatasyncSync, fsyncSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { spreadOf } from './statistics.ts'

const files = 100
const pages = 200
const pageBytes = 4_096
const fileSystems: ReadonlyMap<number, string> = new Map([
  [0xef53, 'ext4'],
  [0x58465342, 'xfs'],
  [0x9123683e, 'btrfs'],
  [0x01021994, 'tmpfs, which syncs nothing'],
  [0x794c7630, 'overlayfs'],
])

/** What a sync costs where the benchmark writes, in words: half of a spool's figures hang on it. */
export function diskInWords(dir: string): string {
  const type = statfsSync(dir).type
  const syncMs = spreadOf(syncTimesMs(dir)).median
  return `The disk (${fileSystems.get(type) ?? `file system 0x${type.toString(16)}`}): a new small file is written and synced in ${syncMs.toFixed(2)} ms (median of ${files}).`
}

function syncTimesMs(dir: string): number[] {
  const own = mkdtempSync(join(dir, 'disk-speed-'))
  const timesMs = Array.from({ length: files }, (_, n) => {
    const startMs = performance.now()
    const fd = openSync(join(own, String(n)), 'wx')
    writeSync(fd, 'a small file')
    fsyncSync(fd)
    closeSync(fd)
    return performance.now() - startMs
  })
  rmSync(own, { recursive: true })
  return timesMs
}

/** CPU µs of writing a page over itself and syncing it, in a program that does nothing else. */
export interface SyncedPageCost {
  /** One directly after the other. */
  readonly inARowUs: number
  /** After a pause of a millisecond each, as a call leaves between two answers: the processor finds nothing in its caches. */
  readonly afterPausesUs: number
}

/** What no journal with a sync of its own for each answer goes below. */
export async function syncedPageCost(dir: string): Promise<SyncedPageCost> {
  const own = mkdtempSync(join(dir, 'disk-speed-'))
  const fd = openSync(join(own, 'page'), 'wx')
  const page = Buffer.alloc(pageBytes, 'p')
  const cpuUsOfOne = () => {
    const before = process.cpuUsage()
    writeSync(fd, page, 0, pageBytes, 0)
    fdatasyncSync(fd)
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  // The first one finds the page its place on the disk.
  cpuUsOfOne()
  let inARowUs = 0
  for (let n = 0; n < pages; n++) inARowUs += cpuUsOfOne() / pages
  let afterPausesUs = 0
  for (let n = 0; n < pages; n++) {
    await wait(1)
    afterPausesUs += cpuUsOfOne() / pages
  }
  closeSync(fd)
  rmSync(own, { recursive: true })
  return { inARowUs, afterPausesUs }
}
