import { closeSync, fsync, fsyncSync, openSync } from 'node:fs'
import { promisify } from 'node:util'

const fsyncInPool = promisify(fsync)

/**
 * Makes what was renamed in a directory survive a power cut. Windows has no such thing, and does it by itself. A
 * directory that was removed has nothing to keep.
 */
export async function syncDir(dir: string): Promise<void> {
  const fd = openDir(dir)
  if (fd === undefined) return
  try {
    await fsyncInPool(fd)
  } finally {
    closeSync(fd)
  }
}

/** As `syncDir`, for a start, which has nothing else to do meanwhile. */
export function syncDirNow(dir: string): void {
  const fd = openDir(dir)
  if (fd === undefined) return
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

function openDir(dir: string): number | undefined {
  if (process.platform === 'win32') return undefined
  try {
    return openSync(dir, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
