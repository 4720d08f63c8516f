import { writeSync } from 'node:fs'
import { type Logger, type LoggerOptions, pino } from 'pino'
import type { LogLevel } from '../config/config.ts'
import { openLogFile } from './log-file.ts'

/** What is logged, and where. */
export interface LogOptions {
  readonly level: LogLevel
  /** A file in place of standard output. */
  readonly file: string | undefined
}

/** The agent's log. */
export interface Log extends Logger {
  /** Writes what is still held back. */
  flushNow(): void
}

/**
 * JSON lines: on standard output, on a terminal made readable, or in a file that is set aside before it grows past
 * 10 MiB, five of them kept. Secrets never come here: what is logged are names, codes and durations.
 *
 * @throws {NodeJS.ErrnoException} The file cannot be opened.
 */
export async function openLog({ level, file }: LogOptions): Promise<Log> {
  const options = {
    level,
    base: { pid: process.pid },
    timestamp: isoTimes(),
    formatters: { level: (label: string) => ({ level: label }) },
  }
  if (file !== undefined) return withFlush(logInFile(options, file), () => undefined)
  if (process.stdout.isTTY) {
    const { default: pretty } = await import('pino-pretty')
    return withFlush(pino(options, pretty({ sync: true, ignore: 'pid' })), () => undefined)
  }
  // A line at a time costs a system call for each call answered; a quarter of a second is no loss but in a sudden end.
  const destination = pino.destination({
    fd: 1,
    sync: false,
    minLength: 16_000,
    periodicFlush: 250,
    contentMode: 'buffer',
  })
  // Nobody reads standard output any more, and there is no other place to say so: the calls go on.
  let isBroken = false
  destination.on('error', () => {
    isBroken = true
  })
  // Of texts it would count with each line the bytes of all that wait, a third of what a line costs (measured). Its types
  // know texts only.
  const write = (line: string) => destination.write(Buffer.from(line) as never)
  return withFlush(pino(options, { write }), () => {
    if (!isBroken) destination.flushSync()
  })
}

/** Members with the time in ISO-8601. Many lines share a millisecond, and writing one out is a quarter of a line. */
function isoTimes(): () => string {
  let writtenMs = Number.NaN
  let written = ''
  return () => {
    const nowMs = Date.now()
    if (nowMs !== writtenMs) {
      writtenMs = nowMs
      written = `,"time":"${new Date(nowMs).toISOString()}"`
    }
    return written
  }
}

function logInFile(options: LoggerOptions, file: string): Logger {
  const logger: Logger = pino(
    options,
    openLogFile(file, {
      notSetAside: ({ message }) =>
        logger.warn(
          { cause: message },
          "SERVICE_LOG_FILE cannot be set aside and grows on: the agent's user must be able to write in its directory",
        ),
      lost: ({ message }) => tell(`SERVICE_LOG_FILE: lines are lost (${message})\n`),
    }),
  )
  return logger
}

/** On standard error, the only place that is left when the log itself cannot be written. */
function tell(text: string): void {
  try {
    writeSync(2, text)
  } catch {
    // Nobody reads that either. The calls go on.
  }
}

function withFlush(logger: Logger, flushNow: () => void): Log {
  return Object.assign(logger, { flushNow })
}
