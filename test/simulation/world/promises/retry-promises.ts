import type { AttemptResult } from '../../../../agent/platform/attempt-result.ts'
import type { GameCall } from '../game/call-agent.ts'
import type { SentRequest } from '../witnessed.ts'
import { askedDateWaitMs, askedWaitMs } from './asked-wait.ts'
import { keyOfCall, keyOfSent } from './call-keys.ts'
import type { Break } from './judge.ts'

interface RetryPromisesParts {
  readonly break: Break
  readonly nowMs: () => number
  /** When the process of the agent was started that runs now; undefined where several may make the attempts. */
  readonly startedMs: (() => number) | undefined
  /** Whether nothing has made the agent's idea of the platform's clock wrong. */
  readonly isClockRight: () => boolean
}

/** The calls of one key. */
interface CallsOfKey {
  readonly open: number
  readonly isAlone: boolean
  /** The last attempt since a call was asked. */
  readonly last: Attempt | undefined
}

interface Attempt {
  readonly sentMs: number
  /** How many in a row were refused as not authorized, with this one. */
  unauthorized: number
  next: Next
}

/**
 * What may follow an attempt for a call.
 * - `never`: the call may have been made. It must not be made twice.
 * - `over`: nothing in this process. The next one may ask again, because it does not know the answer.
 * - `again`: another attempt, not before a moment.
 */
type Next = { readonly at: 'never' | 'over' } | { readonly at: 'again'; readonly fromMs: number }

const never: Next = { at: 'never' }
const over: Next = { at: 'over' }
const tooSoon: ReadonlySet<number> = new Set([425, 429])
const requestTimeout = 408
/** Something went wrong on the way or behind it, so a call that may be made twice is sent again. */
const failed: ReadonlySet<number> = new Set([requestTimeout, 425, 429])
const unauthorized = 401
/** What the clock of a host may drift. */
const driftRate = 0.01

/**
 * What follows each attempt for a call. One that must not be made twice is sent again only if nothing was done. A call
 * that the platform refuses for good is not sent again, and no call before the platform allows it.
 */
export class RetryPromises {
  readonly #parts: RetryPromisesParts
  readonly #byKey = new Map<string, CallsOfKey>()

  constructor(parts: RetryPromisesParts) {
    this.#parts = parts
  }

  onAsked(call: GameCall): void {
    const key = keyOfCall(call)
    // The agent also sends stocks again by itself.
    if (key === undefined || call.operation === 'market.adjust-stock') return
    const open = (this.#byKey.get(key)?.open ?? 0) + 1
    this.#byKey.set(key, { open, isAlone: open === 1, last: undefined })
  }

  onTold(call: GameCall): void {
    const key = keyOfCall(call) ?? ''
    const calls = this.#byKey.get(key)
    if (calls) this.#byKey.set(key, { ...calls, open: Math.max(0, calls.open - 1) })
  }

  /** An attempt leaves. @returns Called when it has ended. One of an agent that died has no end. */
  onSent(request: SentRequest): ((result: AttemptResult) => void) | undefined {
    const key = keyOfSent(request)
    const calls = this.#byKey.get(key ?? '')
    if (key === undefined || !calls) return undefined
    const { nowMs } = this.#parts
    const isOnce = onceOperations.some((operation) => key.startsWith(operation))
    const before = this.#isKnown(calls) ? calls.last : undefined
    if (calls.isAlone && before) this.#check(key, before, isOnce)
    const attempt: Attempt = { sentMs: nowMs(), unauthorized: before?.unauthorized ?? 0, next: isOnce ? never : over }
    this.#byKey.set(key, { ...calls, last: attempt })
    return (result) => {
      if (result.kind === 'answered' && result.status === unauthorized) attempt.unauthorized++
      attempt.next = this.#nextOf(result, attempt, isOnce)
    }
  }

  /** Whether the process that runs now knows what became of the last attempt. */
  #isKnown({ last }: CallsOfKey): boolean {
    const { startedMs } = this.#parts
    return startedMs !== undefined && last !== undefined && (last.next.at === 'never' || last.sentMs >= startedMs())
  }

  #check(key: string, { next }: Attempt, isOnce: boolean): void {
    const { nowMs } = this.#parts
    if (next.at !== 'again')
      this.#parts.break(
        isOnce
          ? 'a call that must not be made twice is sent again only if nothing was done'
          : 'a call is not sent again after an answer',
        key,
      )
    else if (nowMs() < next.fromMs)
      this.#parts.break('a call is not sent again before the platform allows it', `${key}: ${next.fromMs - nowMs()} ms`)
  }

  #nextOf(result: AttemptResult, attempt: Attempt, isOnce: boolean): Next {
    const again: Next = { at: 'again', fromMs: 0 }
    if (result.kind === 'failed') return isOnce && result.wasSent ? never : again
    const { status } = result
    if (status === unauthorized) {
      const isFresh = !isOnce && attempt.unauthorized === 1
      return isFresh || !this.#parts.isClockRight() ? again : over
    }
    if (isOnce && (status < 300 || status === requestTimeout || status >= 500)) return never
    if (isOnce ? !tooSoon.has(status) : !failed.has(status) && status < 500) return over
    const nowMs = this.#parts.nowMs()
    const untilDateMs = this.#parts.isClockRight() ? askedDateWaitMs(result, nowMs) : 0
    return { at: 'again', fromMs: nowMs + Math.max(askedWaitMs(result), untilDateMs) * (1 - driftRate) }
  }
}

const onceOperations = ['transaction.create ', 'market.register ']
