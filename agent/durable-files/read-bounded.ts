import { constants } from 'node:fs'
import { limits } from '../../contract/limits.ts'
import type { Files } from './files.ts'

/** The beginning of a file. */
interface Read {
  readonly bytes: Buffer
  /** Changes with the file. */
  readonly stamp: string
}

/**
 * Reads at most `limits.bodyBytesMax` bytes and one more of a regular file. It follows no link and waits on no pipe,
 * because others may write in the directory.
 */
export function readBounded(files: Files, path: string): Read | 'gone' | 'not-regular' | 'no-right' {
  // Windows has neither O_NONBLOCK and O_NOFOLLOW nor the pipes and links that they are against.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
  let fd: number
  try {
    fd = files.openSync(path, flags)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return 'gone'
    if (code === 'ELOOP' || code === 'ENXIO') return 'not-regular'
    if (code === 'EACCES' || code === 'EPERM') return 'no-right'
    throw error
  }
  try {
    const stat = files.fstatSync(fd, { bigint: true })
    if (!stat.isFile()) return 'not-regular'
    const buffer = Buffer.allocUnsafe(Math.min(Number(stat.size), limits.bodyBytesMax) + 1)
    let length = 0
    for (;;) {
      const bytesRead = files.readSync(fd, buffer, length, buffer.byteLength - length, length)
      length += bytesRead
      if (bytesRead === 0 || length === buffer.byteLength) break
    }
    // A file that grew while it was read is read again: its end has not been seen.
    const isWhole = length === Number(stat.size) || length > limits.bodyBytesMax
    const bytes = buffer.subarray(0, length)
    return { bytes: isWhole ? bytes : Buffer.from('{'), stamp: `${stat.size} ${stat.mtimeNs}` }
  } finally {
    files.closeSync(fd)
  }
}
