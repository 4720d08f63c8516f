import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  realpathSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs'

/** What a log file works with. */
export interface LogFileOptions {
  /** The file grows past its limit, because it cannot be rotated. It is tried again after more lines. */
  onRotateError(error: Error): void
  /** Lines do not reach the file. Called once, until they do again. */
  onLinesLost(error: Error): void
  /** Milliseconds that never run backwards. */
  monotonicMs(): number
}

/** An open log file. */
export interface LogFile {
  write(line: string): void
  /** Looks at once whether another program has renamed or removed the file, and opens a new one then. */
  reopen(): void
}

const fileBytesMax = 10_485_760
const filesKept = 5
/** A file that could not be rotated is tried again after this many bytes. */
const bytesBeforeNextTry = 1_048_576
/** A line looks at most this often whether the path still names the open file. */
const lookIntervalMs = 1_000

/**
 * A file that becomes `.1` before it grows past 10 MiB; `.1` to `.4` are kept. Behind a link, the link's target is rotated.
 * A pipe or a device is only written to, and a pipe whose reader is slow or away loses lines. When another program renames or
 * removes the file, as logrotate does, a new one is opened within a second.
 *
 * Writing never throws: a full disk costs log lines, never a call.
 *
 * @throws {NodeJS.ErrnoException} The file cannot be opened.
 */
export function openLogFile(path: string, options: LogFileOptions): LogFile {
  let fd = openToAppend(path)
  let isRegular = fstatSync(fd).isFile()
  let length = fstatSync(fd).size
  let rotateAt = fileBytesMax
  let lookAgainAtMs = options.monotonicMs() + lookIntervalMs
  /** The path names another file, which cannot be opened: the log continues in the renamed file. */
  let isDetached = false
  let isLosing = false
  /** Only a part of the last line was written. */
  let isTorn = false

  function lose(error: unknown): void {
    if (!isLosing) options.onLinesLost(error as Error)
    isLosing = true
  }

  function openAgain(): void {
    const next = openToAppend(path)
    closeSync(fd)
    fd = next
    isRegular = fstatSync(fd).isFile()
    length = fstatSync(fd).size
    rotateAt = fileBytesMax
  }

  function rotateIfFull(lineBytes: number): void {
    if (length === 0 || length + lineBytes <= rotateAt) return
    try {
      moveAside(realpathSync(path))
      openAgain()
    } catch (error) {
      rotateAt = length + bytesBeforeNextTry
      options.onRotateError(error as Error)
    }
  }

  function reopenIfReplaced(): void {
    lookAgainAtMs = options.monotonicMs() + lookIntervalMs
    try {
      if (!isSameFile(path, fd)) openAgain()
      length = fstatSync(fd).size
      isDetached = false
    } catch (error) {
      isDetached = true
      lose(error)
    }
  }

  return {
    reopen: reopenIfReplaced,

    write(line) {
      try {
        if (options.monotonicMs() >= lookAgainAtMs) reopenIfReplaced()
        const text = isTorn ? `\n${line}` : line
        const bytes = Buffer.byteLength(text)
        if (isRegular) rotateIfFull(bytes)
        const written = writeSync(fd, text)
        length += written
        isTorn = written < bytes
        if (isTorn) lose(new Error('a line was cut off: the pipe or the disk is full'))
        else isLosing = isDetached
      } catch (error) {
        lose(error)
      }
    },
  }
}

/** A pipe that is open both ways always has a reader, so that neither this nor a write waits for one. */
function openToAppend(path: string): number {
  const isPipe = statSync(path, { throwIfNoEntry: false })?.isFIFO() === true
  if (!isPipe) return openSync(path, 'a', 0o640)
  try {
    return openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
  } catch {
    // It may be ours only to write.
    return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
  }
}

function isSameFile(path: string, fd: number): boolean {
  const [there, open] = [statSync(path, { bigint: true, throwIfNoEntry: false }), fstatSync(fd, { bigint: true })]
  return there?.ino === open.ino && there.dev === open.dev
}

/** Makes room for a new file: the file becomes `.1`, and the older ones move on. */
function moveAside(path: string): void {
  for (let n = filesKept - 1; n >= 2; n--) {
    if (existsSync(`${path}.${n - 1}`)) renameSync(`${path}.${n - 1}`, `${path}.${n}`)
  }
  renameSync(path, `${path}.1`)
}
