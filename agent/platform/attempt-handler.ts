import type { Dispatcher } from 'undici'
import type { AttemptResult } from './attempt-result.ts'

const answerBytesMax = 1_048_576

/** What the connection of a request must know. */
export interface Ride {
  /** The whole answer was read. */
  onAnswered(): void
  /** The connection carries nothing more. */
  onBroken(): void
  /** The connection certainly did not carry the request, so another one may. */
  onUnsent(cause: Error): void
}

/**
 * Collects the answer of one attempt and knows whether a byte of the request may have been sent: undici calls
 * `onRequestStart` on a connected socket (with TLS after the handshake), directly before it writes.
 */
export class AttemptHandler implements Dispatcher.DispatchHandler {
  cancelTimer: () => void = () => undefined
  ride: Ride = { onAnswered: () => undefined, onBroken: () => undefined, onUnsent: (cause) => this.fail(cause) }
  readonly #resolve: (result: AttemptResult) => void
  readonly #chunks: Uint8Array[] = []
  #controller: Dispatcher.DispatchController | undefined
  #isSettled = false
  #status = 0
  #headers: Readonly<Record<string, string | string[] | undefined>> = {}
  #length = 0

  constructor(resolve: (result: AttemptResult) => void) {
    this.#resolve = resolve
  }

  get isSettled(): boolean {
    return this.#isSettled
  }

  /** Ends the attempt because its time is over. A request that still waits for a connection is never written then. */
  giveUp(timeoutMs: number): void {
    const cause = new Error(`no answer within ${Math.round(timeoutMs)} ms`)
    this.fail(cause)
    this.#controller?.abort(cause)
  }

  fail(cause: Error): void {
    this.#settle({ kind: 'failed', wasSent: this.#controller !== undefined, cause })
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (!this.#isSettled) this.#controller = controller
    else {
      controller.abort(new Error('given up before a connection was there'))
      this.ride.onBroken()
    }
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#status = status
    this.#headers = headers
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#length += chunk.byteLength
    if (this.#length > answerBytesMax) controller.abort(new Error(`an answer of more than ${answerBytesMax} bytes`))
    else this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    const body = this.#chunks.length === 1 && this.#chunks[0] ? this.#chunks[0] : Buffer.concat(this.#chunks)
    const { date, 'retry-after': retryAfter } = this.#headers
    // First, so that a call that follows this answer finds the connection.
    this.ride.onAnswered()
    this.#settle({
      kind: 'answered',
      status: this.#status,
      date: singleValue(date),
      retryAfter: singleValue(retryAfter),
      body,
    })
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, cause: Error): void {
    this.ride.onBroken()
    if (this.#controller === undefined && !this.#isSettled) this.ride.onUnsent(cause)
    else this.fail(cause)
  }

  #settle(result: AttemptResult): void {
    if (this.#isSettled) return
    this.#isSettled = true
    this.cancelTimer()
    this.#resolve(result)
  }
}

function singleValue(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}
