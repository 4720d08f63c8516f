import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs'
import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino'
import type { LogLevel } from './config/config.ts'

export interface LogOptions {
  readonly level: LogLevel
  /** A file in place of standard output. */
  readonly file: string | undefined
}

export interface Log extends Logger {
  /** Writes what is still held back. */
  flushNow(): void
}

/**
 * JSON lines: on standard output, on a terminal made readable, or in a file that is set aside before it grows past
 * 10 MiB, five of them kept. Secrets never come here: what is logged are names, codes and durations.
 */
export async function openLog({ level, file }: LogOptions): Promise<Log> {
  const options = {
    level,
    base: { pid: process.pid },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  }
  if (file !== undefined) return withFlush(pino(options, rotatingFile(file)), () => undefined)
  if (process.stdout.isTTY) {
    const { default: pretty } = await import('pino-pretty')
    return withFlush(pino(options, pretty({ sync: true, ignore: 'pid' })), () => undefined)
  }
  // A line at a time costs a system call for each call answered; a quarter of a second is no loss but in a power cut.
  const destination = pino.destination({ fd: 1, sync: false, minLength: 4_096, periodicFlush: 250 })
  // Nobody reads standard output any more, and there is no other place to say so: the calls go on.
  let isBroken = false
  destination.on('error', () => {
    isBroken = true
  })
  return withFlush(pino(options, destination), () => {
    if (!isBroken) destination.flushSync()
  })
}

function withFlush(logger: Logger, flushNow: () => void): Log {
  return Object.assign(logger, { flushNow })
}

const fileBytesMax = 10_485_760
const filesKept = 5

function rotatingFile(path: string): DestinationStream {
  let fd = openSync(path, 'a', 0o640)
  let length = fstatSync(fd).size
  const append = (line: string) => {
    if (length + line.length > fileBytesMax && length > 0) {
      closeSync(fd)
      for (let n = filesKept - 1; n >= 1; n--) setAside(n === 1 ? path : `${path}.${n - 1}`, `${path}.${n}`)
      fd = openSync(path, 'a', 0o640)
      length = 0
    }
    length += writeSync(fd, line)
  }
  return {
    write(line) {
      try {
        append(line)
      } catch {
        // A full disk costs log lines, never a call.
      }
    },
  }
}

function setAside(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
