import { closeSync, fstatSync, openSync, realpathSync, renameSync, rmSync, writeSync } from 'node:fs'

/** What a log file tells when it cannot do its work. */
export interface LogFileEvents {
  /** It grows on past its limit, for it cannot be set aside. Tried again after some more lines. */
  notSetAside(error: Error): void
  /** Lines are lost. Told once, until one is written again. */
  lost(error: Error): void
}

const fileBytesMax = 10_485_760
const filesKept = 5
/** How much is written before it is tried again to set a file aside that could not be. */
const bytesBeforeNextTry = 1_048_576

/**
 * A file that is set aside as `.1` before it grows past 10 MiB; `.1` to `.4` are kept beside it. Behind a link it is the
 * link's target that is set aside. What is no regular file, as a pipe or a device, is only written to.
 *
 * Writing never throws: a full disk costs log lines, never a call.
 *
 * @throws {NodeJS.ErrnoException} It cannot be opened.
 */
export function openLogFile(path: string, events: LogFileEvents): { write(line: string): void } {
  let fd = openSync(path, 'a', 0o640)
  const { size, isRegular } = statOf(fd)
  let length = size
  let setAsideAt = isRegular ? fileBytesMax : Number.POSITIVE_INFINITY
  let isLosing = false

  function setAside(): void {
    try {
      const former = fd
      fd = replaced(realpathSync(path))
      length = 0
      setAsideAt = fileBytesMax
      closeSync(former)
    } catch (error) {
      setAsideAt = length + bytesBeforeNextTry
      events.notSetAside(error as Error)
    }
  }

  return {
    write(line) {
      if (length > 0 && length + Buffer.byteLength(line) > setAsideAt) setAside()
      try {
        length += writeSync(fd, line)
        isLosing = false
      } catch (error) {
        if (!isLosing) events.lost(error as Error)
        isLosing = true
      }
    },
  }
}

/**
 * Opens a new file in place of one, which becomes `.1`. The new one is opened first: where that fails, nothing was
 * changed, and the old one can be written on.
 */
function replaced(path: string): number {
  const next = `${path}.new`
  rmSync(next, { force: true })
  const fd = openSync(next, 'ax', 0o640)
  try {
    for (let n = filesKept - 1; n >= 2; n--) renameIfThere(`${path}.${n - 1}`, `${path}.${n}`)
    renameIfThere(path, `${path}.1`)
    renameSync(next, path)
  } catch (error) {
    closeSync(fd)
    rmSync(next, { force: true })
    throw error
  }
  return fd
}

function renameIfThere(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

function statOf(fd: number): { size: number; isRegular: boolean } {
  const stat = fstatSync(fd)
  return { size: stat.size, isRegular: stat.isFile() }
}
