import type { CallAnswer } from '../call/answer.ts'
import type { Call } from '../call/call.ts'
import type { CallTrace } from '../call/trace.ts'
import type { Log } from './log.ts'

/** One line for each call: when it is answered, or when the agent ends before. */
export class CallLog {
  readonly #log: Log
  readonly #inFlight = new Set<Call>()

  constructor(log: Log) {
    this.#log = log
  }

  /** Number of calls without an answer. */
  get inFlight(): number {
    return this.#inFlight.size
  }

  /** Remembers a call until its answer is there. */
  async follow(call: Call, answerCall: () => Promise<CallAnswer>): Promise<CallAnswer> {
    this.#inFlight.add(call)
    try {
      return await answerCall()
    } finally {
      this.#inFlight.delete(call)
    }
  }

  /** Writes one wide line with everything that was decided on the way. */
  onAnswered(call: Call, answer: CallAnswer, trace: CallTrace, durationMs: number): void {
    if (!this.#inFlight.has(call)) return
    const { transactionId } = call.input
    const { source, attempts, retryDelaysMs, fault, cause } = trace
    const line = {
      operation: call.operationName,
      id: call.id,
      // An operation that knows no such field passes it through, so only a number is certainly no secret.
      ...(typeof transactionId === 'number' && { transactionId }),
      outcome: answer.ok ? 'ok' : answer.uncertain ? 'uncertain' : 'refused',
      source,
      attempts,
      durationMs: Math.round(durationMs * 10) / 10,
      ...(!answer.ok && { status: answer.status }),
      ...(retryDelaysMs.length > 0 && { retryDelaysMs }),
      ...(fault !== undefined && { fault, cause }),
    }
    // A game server may ask for its orders every second: nothing has happened then.
    const isPoll = answer.ok && call.operation.kind === 'orders' && call.operation.does === 'list'
    this.#log[isPoll ? 'debug' : 'info'](line, 'call answered')
  }

  /** Reports a bug of the agent. */
  onError(call: Call, error: unknown): void {
    if (this.#inFlight.has(call))
      this.#log.error({ err: error, operation: call.operationName, id: call.id }, 'call failed: a bug of the agent')
  }

  /** Says how many calls a stop waits for. */
  logWaiting(): void {
    if (this.#inFlight.size > 0) this.#log.info({ calls: this.#inFlight.size }, 'waiting for calls in flight')
  }

  /** Writes a line for each call that the end of the agent cuts off. Its later result is not logged. */
  logCutOff(): void {
    for (const { operationName: operation, id } of this.#inFlight) {
      this.#log.warn({ operation, id, outcome: 'cut off' }, 'call cut off: it took longer than the time for shutdown')
    }
    this.#inFlight.clear()
  }
}
