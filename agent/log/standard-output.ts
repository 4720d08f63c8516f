import { write, writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

/** SIGKILL loses at most the lines of the last 50 ms. */
const flushIntervalMs = 50
/** Lines that wait for a reader that has stopped reading, in characters. Further lines are dropped: calls matter more. */
const waitingLengthMax = 16_777_216
const stdout = 1
const writeInBackground = promisify(write)

/**
 * Standard output for log lines. Lines are written together every 50 ms, on the thread pool, so that a slow reader does
 * not stop the calls. When the reader is gone, lines are dropped.
 *
 * pino's own destination is not used because its `flushSync` retries a closed pipe for ever: the agent would never end.
 */
export class StandardOutput {
  #waiting = ''
  #isWriting = false
  #isReaderGone = false

  write(line: string): void {
    if (this.#isReaderGone || this.#waiting.length > waitingLengthMax) return
    this.#waiting += line
    if (!this.#isWriting) void this.#writeWaiting()
  }

  /** Writes the waiting lines before it returns. For the end of the process. */
  flushNow(): void {
    try {
      for (let rest = this.#takeWaiting(); rest.length > 0; ) rest = rest.subarray(writeSync(stdout, rest))
    } catch {
      this.#isReaderGone = true
    }
  }

  async #writeWaiting(): Promise<void> {
    this.#isWriting = true
    while (this.#waiting !== '') {
      await sleep(flushIntervalMs)
      for (let rest = this.#takeWaiting(); rest.length > 0; ) rest = rest.subarray(await this.#writeSome(rest))
    }
    this.#isWriting = false
  }

  /** @returns The number of bytes that need no further attempt. */
  async #writeSome(bytes: Buffer): Promise<number> {
    try {
      return (await writeInBackground(stdout, bytes)).bytesWritten
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return sleep(flushIntervalMs, 0)
      this.#isReaderGone = true
      return bytes.length
    }
  }

  #takeWaiting(): Buffer {
    const waiting = Buffer.from(this.#waiting)
    this.#waiting = ''
    return waiting
  }
}
