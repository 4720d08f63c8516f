import type { AttemptResult } from '../../../../agent/platform/attempt-result.ts'
import type { SentRequest } from '../witnessed.ts'
import type { Break } from './judge.ts'

interface PacePromisesParts {
  readonly break: Break
  readonly nowMs: () => number
  /** When the process was started that runs now. */
  readonly startedMs: () => number
}

/** Answers whose `Retry-After` counts. */
const waiting: ReadonlySet<number> = new Set([429, 503])
/** A call ends if it would have to wait for longer. The stock is sent again after more than this, whatever was asked. */
const waitMsMax = 30_000
/** What the drift of a clock takes away from a wait. */
const driftMsMax = 100

/** An agent does not repeat a call about an item before the platform allows it. */
export class PacePromises {
  readonly #parts: PacePromisesParts
  /** By request: the process that may not send it, and until when. */
  readonly #waits = new Map<string, { readonly startedMs: number; readonly fromMs: number }>()

  constructor(parts: PacePromisesParts) {
    this.#parts = parts
  }

  /** @returns Called when the attempt has ended. */
  onSent({ path, body }: SentRequest): ((result: AttemptResult) => void) | undefined {
    if (path !== '/v1/api/market/listings') return undefined
    const { nowMs, startedMs } = this.#parts
    const wait = this.#waits.get(body)
    if (wait?.startedMs === startedMs() && nowMs() < wait.fromMs)
      this.#parts.break('a call is not repeated before the platform allows it', `${body}, ${wait.fromMs - nowMs()} ms`)
    this.#waits.delete(body)
    return (result) => {
      const isWaiting = result.kind === 'answered' && waiting.has(result.status)
      const waitMs = isWaiting ? Number(result.retryAfter ?? 0) * 1_000 : 0
      if (waitMs > 0 && waitMs <= waitMsMax)
        this.#waits.set(body, { startedMs: startedMs(), fromMs: nowMs() + waitMs - driftMsMax })
    }
  }

  /** A call has its answer. An equal request is of another call from now on. */
  onGiven(): void {
    this.#waits.clear()
  }

  /** An answer in a file is shown. */
  onRenamed(from: string): void {
    if (from.endsWith('.done')) this.#waits.clear()
  }
}
