import { promisify } from 'node:util'
import type { Files } from './files.ts'

/**
 * Makes what was renamed in a directory survive a power cut. Windows has no such call because it does this by itself. A
 * directory that was removed has nothing to keep.
 */
export async function syncDir(files: Files, dir: string): Promise<void> {
  const fd = openDir(files, dir)
  if (fd === undefined) return
  try {
    await promisify(files.fsync)(fd)
  } finally {
    files.closeSync(fd)
  }
}

/** As `syncDir`, for a start, which has nothing else to do meanwhile. */
export function syncDirNow(files: Files, dir: string): void {
  const fd = openDir(files, dir)
  if (fd === undefined) return
  try {
    files.fsyncSync(fd)
  } finally {
    files.closeSync(fd)
  }
}

function openDir(files: Files, dir: string): number | undefined {
  if (!files.user) return undefined
  try {
    return files.openSync(dir, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
