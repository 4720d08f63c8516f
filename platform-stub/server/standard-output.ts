import { fstatSync } from 'node:fs'
import type { Writable } from 'node:stream'
import pino, { type DestinationStream } from 'pino'

/** Where the log goes. */
export interface Output extends DestinationStream {
  /** Calls back when a reader reads again. @param linesLost How many lines were dropped meanwhile. */
  onReadAgain(onReadAgain: (linesLost: number) => void): void
  /** Resolves when everything is written or its reader is gone. */
  flushed(): Promise<void>
}

/** Lines that wait for a reader that does not read, in characters; some 5,000 lines. */
const waitingLengthMax = 1_048_576

/**
 * Standard output: readable on a terminal, JSON lines elsewhere. A reader that is gone or does not read costs lines, never
 * the stub. On Windows a pipe is written to only while it is read.
 */
export async function standardOutput(): Promise<Output> {
  if (process.stdout.isTTY) {
    const { default: pretty } = await import('pino-pretty')
    return writtenAtOnce(pretty({ sync: true, translateTime: 'SYS:HH:MM:ss' }))
  }
  const kind = fstatSync(1)
  if (kind.isFIFO() || kind.isSocket()) return new PipeOutput(process.stdout)
  return writtenAtOnce(pino.destination({ dest: 1, sync: true }).on('error', () => undefined))
}

function writtenAtOnce(destination: DestinationStream): Output {
  return {
    write: (line) => destination.write(line),
    onReadAgain: () => undefined,
    flushed: () => Promise.resolve(),
  }
}

/**
 * A pipe that is written to without waiting. Node does so with a pipe on standard output. pino's own destination waits, or
 * at the end tries a pipe that nobody reads again for ever.
 */
class PipeOutput implements Output {
  readonly #pipe: Writable
  #linesLost = 0
  #onReadAgain: (linesLost: number) => void = () => undefined

  constructor(pipe: Writable) {
    this.#pipe = pipe
    pipe.on('drain', () => this.#reportLoss())
    // Without a reader there is nobody to tell. A named pipe may have another one later.
    pipe.on('error', () => this.#reportLoss())
  }

  /** Once a line is lost, so are those after it until everything before has been read: there is one gap, and it is marked. */
  write(line: string): void {
    if (this.#linesLost > 0 || this.#pipe.writableLength + line.length > waitingLengthMax) this.#linesLost++
    else this.#pipe.write(line)
  }

  onReadAgain(onReadAgain: (linesLost: number) => void): void {
    this.#onReadAgain = onReadAgain
  }

  flushed(): Promise<void> {
    return new Promise((resolve) => {
      this.#pipe.write('', () => resolve())
    })
  }

  #reportLoss(): void {
    const linesLost = this.#linesLost
    this.#linesLost = 0
    if (linesLost > 0) this.#onReadAgain(linesLost)
  }
}
