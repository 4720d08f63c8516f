import { execFileSync } from 'node:child_process'
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { spreadOf } from '../figures.ts'

const files = 100

/** Milliseconds to write and sync a new small file, median: half of a spool's figures depend on it. */
export function measureSyncMs(dir: string): number {
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
  return spreadOf(timesMs).median
}

/**
 * Asks ext4 to spread new directories over the disk. Otherwise a program pays for the thousands of files that the one
 * before it removed: without a journal ext4 does not reuse an inode for minutes, and steps over each one.
 */
export function spreadDirectories(dir: string): void {
  try {
    execFileSync('chattr', ['+T', dir], { stdio: 'ignore' })
  } catch {
    // Another file system, or another operating system: there is nothing to spread.
  }
}
