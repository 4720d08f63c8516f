import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { spreadOf } from './statistics.ts'

const files = 100
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
