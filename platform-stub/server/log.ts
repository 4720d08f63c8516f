import pino, { type DestinationStream, type Logger } from 'pino'
import { iso } from '../clock/iso.ts'

/** The stub's log: lines of JSON. */
export type Log = Logger

/** The secrets that could be bound by mistake. Nothing in the stub binds them; this is the second lock. */
const secretPaths = ['apiKey', 'privateKeyPem', 'signature', 'authorization']

/**
 * The stub's log: JSON lines, one for each thing that happened, with the stub's own time.
 *
 * @param destination Where lines go; standard output in `main.ts`.
 * @param nowMs The stub's clock, so that a line says the time that the platform believed in.
 */
export function makeLog(destination: DestinationStream, nowMs: () => number): Log {
  return pino(
    {
      base: null,
      redact: { paths: secretPaths, censor: '[removed]' },
      timestamp: () => `,"time":"${iso(nowMs())}"`,
      formatters: { level: (level) => ({ level }) },
    },
    destination,
  )
}
