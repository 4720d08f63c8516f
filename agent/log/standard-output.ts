import { writeSync } from 'node:fs'

/** SIGKILL loses at most the lines of the last 50 ms. */
const flushIntervalMs = 50
/** Lines that wait for a reader that has stopped reading, in characters. Further lines are dropped: calls matter more. */
const waitingLengthMax = 16_777_216
/** How long the end of the process waits for a reader that takes nothing. */
const endPatienceMs = 1_000
const endPauseMs = 10
const stdout = 1

/**
 * Standard output for log lines. Lines are written together every 50 ms, as far as a reader takes them, so that a slow
 * reader does not stop the calls. When the reader is gone, lines are dropped.
 *
 * Each write is made in the event loop, so that no line is under way when the process ends: none is lost, and none is
 * written before an older one. It does not wait, because Node sets a pipe to non-blocking when it makes `process.stdout`.
 * Windows has no such mode for pipes: there a reader that stops reading stops the agent, and a log file does not.
 *
 * pino's own destination is not used because its `flushSync` retries a closed pipe for ever: the agent would never end.
 */
export class StandardOutput {
  #waiting = ''
  /** Taken from the waiting lines. No reader has taken them yet. */
  #rest: Buffer = Buffer.alloc(0)
  #timer: NodeJS.Timeout | undefined
  #isReaderGone = false

  write(line: string): void {
    if (this.#isReaderGone || this.#waiting.length > waitingLengthMax) return
    this.#waiting += line
    this.#timer ??= setTimeout(() => this.#flush(), flushIntervalMs)
  }

  /** Writes all lines before it returns, unless the reader takes nothing for a second. For the end of the process. */
  end(): void {
    let waitedMs = 0
    while (this.#take() && waitedMs < endPatienceMs) {
      const isTaken = this.#writeSome()
      if (!isTaken) pause(endPauseMs)
      waitedMs = isTaken ? 0 : waitedMs + endPauseMs
    }
  }

  #flush(): void {
    this.#timer = undefined
    while (this.#take()) {
      if (this.#writeSome()) continue
      this.#timer = setTimeout(() => this.#flush(), flushIntervalMs)
      return
    }
  }

  /** @returns Whether there is something to write. */
  #take(): boolean {
    if (this.#rest.length === 0) {
      this.#rest = Buffer.from(this.#waiting)
      this.#waiting = ''
    }
    return this.#rest.length > 0
  }

  /** @returns false if the reader takes nothing now. */
  #writeSome(): boolean {
    try {
      this.#rest = this.#rest.subarray(writeSync(stdout, this.#rest))
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EAGAIN') return false
      // A file on a full disk may take later lines.
      this.#isReaderGone = code === 'EPIPE'
      this.#rest = Buffer.alloc(0)
    }
    return true
  }
}

/** Stops this thread. There is no event loop to go back to at the end of a process. */
function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
