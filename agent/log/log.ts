import { writeSync } from 'node:fs'
import { type Logger, pino } from 'pino'
import type { LogLevel } from '../config/config.ts'
import { openLogFile } from './log-file.ts'
import { StandardOutput } from './standard-output.ts'

/** What is logged, and where. */
export interface LogOptions {
  readonly level: LogLevel
  /** A file in place of standard output. */
  readonly file: string | undefined
  /** Milliseconds that never run backwards. */
  readonly monotonicMs: () => number
}

/** The agent's log. */
export type Log = Logger

/** A log, and how to continue in a new file. */
export interface OpenedLog {
  readonly log: Log
  /** Opens the file at once, if another program has renamed it. */
  reopen(): void
}

/**
 * JSON lines on standard output, made readable on a terminal, or in a file that is rotated at 10 MiB. Secrets never come
 * here: names, codes and durations are logged.
 *
 * @throws {NodeJS.ErrnoException} The file cannot be opened.
 */
export async function openLog({ level, file, monotonicMs }: LogOptions): Promise<OpenedLog> {
  const options = {
    level,
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  }
  if (file !== undefined) {
    const logFile = openLogFile(file, {
      onRotateError: ({ message }) => log.warn({ cause: message }, notRotated),
      onLinesLost: ({ message }) => writeToStderr(`SERVICE_LOG_FILE: lines are lost (${message})\n`),
      monotonicMs,
    })
    const log = pino(options, logFile)
    return { log, reopen: () => logFile.reopen() }
  }
  if (process.stdout.isTTY) {
    const { default: pretty } = await import('pino-pretty')
    return withoutFile(pino(options, pretty({ sync: true, ignore: 'pid' })))
  }
  // `process.stdout` was made above: its pipe does not block.
  const output = new StandardOutput()
  process.once('exit', () => output.end())
  return withoutFile(pino(options, output))
}

const withoutFile = (log: Log): OpenedLog => ({ log, reopen: () => undefined })

const notRotated =
  "SERVICE_LOG_FILE cannot be rotated and grows on: the agent's user must be able to write in its directory"

/** The only place that is left when the log itself cannot be written. */
function writeToStderr(text: string): void {
  try {
    writeSync(2, text)
  } catch {
    // The calls continue without a log.
  }
}
