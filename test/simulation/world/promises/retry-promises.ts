import type { AttemptResult } from '../../../../agent/platform/attempt-result.ts'
import type { GameCall, Told } from '../game/call-agent.ts'
import type { GameWays } from '../game/game-parts.ts'
import type { SentRequest } from '../sent-request.ts'
import { askedDateWaitMs, askedWaitMs, isAskedToWaitUntil } from './asked-wait.ts'
import type { OwnAgent } from './attempt-promises.ts'
import { keyOfAny, keyOfAnySent } from './call-keys.ts'
import { idWindowMs } from './id-window.ts'
import type { Break } from './judge.ts'

interface RetryPromisesParts {
  readonly break: Break
  readonly callsBy: GameWays['callsBy']
  readonly nowMs: () => number
  /** Undefined where several may make the attempts. */
  readonly ownAgent: OwnAgent | undefined
  /** Whether nothing has made the agent's idea of the platform's clock wrong. */
  readonly isClockRight: () => boolean
}

/** The calls of one key. */
interface CallsOfKey {
  readonly open: number
  readonly isAlone: boolean
  /** When the last one was asked. */
  readonly askedMs: number
  readonly diskChanges: number
  /** The last attempt since a call was asked. */
  readonly last: Attempt | undefined
}

/** All calls of one process. */
interface Together {
  readonly startedMs: number
  readonly calls: number
  readonly askedMs: readonly number[]
  readonly sentMs: readonly number[]
}

interface Attempt {
  readonly sentMs: number
  endedMs: number
  /** How many in a row left immediately after the one before, with this one. */
  readonly hurried: number
  /** How many in a row were refused as not authorized, with this one. */
  unauthorized: number
  next: Next
}

/**
 * What may follow an attempt for a call.
 * - `never`: the call may have been made. It must not be made twice.
 * - `over`: nothing in this process. The next one may ask again, because it does not know the answer.
 * - `may`: another attempt, not before a moment.
 * - `must`: the same, and it follows if there is time for it.
 */
type Next = { readonly at: 'never' | 'over' } | { readonly at: 'may' | 'must'; readonly fromMs: number }

const never: Next = { at: 'never' }
const over: Next = { at: 'over' }
const tooSoon: ReadonlySet<number> = new Set([425, 429])
const requestTimeout = 408
/** Something went wrong on the way or behind it, so a call that may be made twice is sent again. */
const failed: ReadonlySet<number> = new Set([requestTimeout, 425, 429])
const unauthorized = 401
/** What the clock of a host may drift. */
const driftRate = 0.01
/** The longest wait before a retry that nobody asks for. */
const delayMsMax = 5_000
/** The waits before retries are random, and get longer. Four of them are not this short by chance. */
const hurried = { count: 4, msMax: 10 }
/** Longer than a call over HTTP takes. */
const callMsMax = 45_000
/** How long an attempt needs at least, and the way of the answer. */
const attemptMsMin = 2_000
/** The retries of all calls together: ten a second, as many at once, and one for every five calls. */
const retriesMax = { inMs: 5_000, count: 62, callsForOne: 5 }
/** The first attempt of a call leaves within this time, also if its agent was paused. */
const firstSentMsMax = 140_000
/** The agent may make ten retries a second. If fewer attempts than this ended lately, one is left. */
const retriesWithin = { count: 8, ms: 5_000 }

/**
 * What follows each attempt for a call. One that must not be made twice is sent again only if nothing was done. A call
 * that the platform refuses for good is not sent again, and no call before the platform allows it. There is a wait before
 * each retry.
 */
export class RetryPromises {
  readonly #parts: RetryPromisesParts
  readonly #byKey = new Map<string, CallsOfKey>()
  /** When a call of each key was asked last whose answer nobody hears. */
  readonly #unheardMs = new Map<string, number>()
  /** The calls of the process that runs now: how many, and when the last ones were asked and sent. */
  #together: Together = { startedMs: Number.NaN, calls: 0, askedMs: [], sentMs: [] }
  /** When the last attempts ended. */
  #endedMs: readonly number[] = []

  constructor(parts: RetryPromisesParts) {
    this.#parts = parts
  }

  onAsked(call: GameCall): void {
    const key = keyOfAny(call)
    // The agent also sends stocks again by itself.
    if (key === undefined || call.operation === 'market.adjust-stock') return
    const { ownAgent, callsBy } = this.#parts
    // Its id is used again, and agents that share a store do not tell each other when it is over.
    if (!ownAgent && call.operation === 'character.link') return
    if (ownAgent && callsBy === 'http') this.#noteTogether(ownAgent.startedMs(), 'asked')
    const before = this.#byKey.get(key)
    const open = (before?.open ?? 0) + 1
    const nowMs = this.#parts.nowMs()
    const diskChanges = ownAgent?.diskFaults.changes ?? 0
    const isAlone = open === 1 && nowMs > (this.#unheardMs.get(key) ?? Number.NEGATIVE_INFINITY) + callMsMax
    this.#byKey.set(key, {
      open,
      isAlone,
      askedMs: nowMs,
      diskChanges,
      last: this.#isForbidden(key) ? before?.last : undefined,
    })
  }

  /** Whether a purchase must not be sent again, although it is asked for again. Agents that share a store go by its clock, which is right. */
  #isForbidden(key: string): boolean {
    const { ownAgent, nowMs } = this.#parts
    if (ownAgent || !key.startsWith(purchase)) return false
    const last = this.#byKey.get(key)?.last
    return last?.next.at === 'never' && nowMs() < last.sentMs + idWindowMs
  }

  #noteTogether(startedMs: number, what: 'asked' | 'sent'): void {
    const nowMs = this.#parts.nowMs()
    const isSame = this.#together.startedMs === startedMs
    const { calls, askedMs, sentMs } = isSame ? this.#together : { calls: 0, askedMs: [], sentMs: [] }
    const since = (times: readonly number[], ms: number) => times.filter((atMs) => atMs > nowMs - ms)
    this.#together = {
      startedMs,
      calls: what === 'asked' ? calls + 1 : calls,
      askedMs: [...since(askedMs, firstSentMsMax), ...(what === 'asked' ? [nowMs] : [])],
      sentMs: [...since(sentMs, retriesMax.inMs), ...(what === 'sent' ? [nowMs] : [])],
    }
  }

  /** Each call has one first attempt. All others are retries. */
  #checkTogether(): void {
    const { calls, askedMs, sentMs } = this.#together
    if (sentMs.length > askedMs.length + retriesMax.count + calls / retriesMax.callsForOne)
      this.#parts.break('the retries of all calls together have a bound', `${sentMs.length} in 5 s, ${calls} calls`)
  }

  /** Somebody else asks, and nobody hears the answer. */
  onUnheard(call: GameCall): void {
    const key = keyOfAny(call)
    if (key === undefined) return
    this.#unheardMs.set(key, this.#parts.nowMs())
    const calls = this.#byKey.get(key)
    if (calls) this.#byKey.set(key, { ...calls, isAlone: false })
  }

  onTold(call: GameCall, told: Told): void {
    const key = keyOfAny(call) ?? ''
    const calls = this.#byKey.get(key)
    if (!calls) return
    if (!told.ok && this.#mustBeTriedAgain(calls)) {
      const restMs = Math.round(this.#deadlineMs(calls) - this.#parts.nowMs())
      this.#parts.break('a call is tried again while there is time', `${key}: ${restMs} ms, ${told.text}`)
    }
    this.#byKey.set(key, { ...calls, open: Math.max(0, calls.open - 1) })
  }

  /** Whether its last attempt ended in a way after which it is tried again, and there is time for that. */
  #mustBeTriedAgain(calls: CallsOfKey): boolean {
    const { nowMs, ownAgent } = this.#parts
    const { isAlone, last, diskChanges } = calls
    if (!ownAgent || !isAlone || last?.next.at !== 'must') return false
    const { changes, isHealthy } = ownAgent.diskFaults
    const isUndisturbed = isHealthy && changes === diskChanges && ownAgent.isWorking()
    if (!isUndisturbed || ownAgent.startedMs() > calls.askedMs) return false
    const beginsMs = Math.max(nowMs() + delayMsMax, last.next.fromMs)
    const hasRetry = this.#endedLately().length < retriesWithin.count
    return hasRetry && beginsMs + attemptMsMin < this.#deadlineMs(calls)
  }

  /** The deadline of a file may be later. */
  #deadlineMs({ askedMs }: CallsOfKey): number {
    return askedMs + (this.#parts.ownAgent?.callDeadlineMs() ?? 0) * (1 - driftRate)
  }

  #noteEnd(): void {
    this.#endedMs = [...this.#endedLately(), this.#parts.nowMs()]
  }

  #endedLately(): readonly number[] {
    const sinceMs = this.#parts.nowMs() - retriesWithin.ms
    return this.#endedMs.filter((endedMs) => endedMs > sinceMs)
  }

  /** An attempt leaves. @returns Called when it has ended. One of an agent that died has no end. */
  onSent(request: SentRequest): ((result: AttemptResult) => void) | undefined {
    const key = keyOfAnySent(request)
    const calls = this.#byKey.get(key ?? '')
    if (key === undefined || !calls) return () => this.#noteEnd()
    const { nowMs } = this.#parts
    const isOnce = onceOperations.some((operation) => key.startsWith(operation))
    const before = this.#isKnown(calls) ? calls.last : undefined
    if (before && (calls.isAlone || this.#isForbidden(key))) this.#check(key, before, isOnce)
    const { ownAgent, callsBy } = this.#parts
    // A file may have waited for its agent.
    if (ownAgent && callsBy === 'http') {
      this.#noteTogether(ownAgent.startedMs(), 'sent')
      this.#checkTogether()
    }
    const isHurried = before !== undefined && nowMs() - before.endedMs < hurried.msMax
    const attempt: Attempt = {
      sentMs: nowMs(),
      endedMs: Number.NEGATIVE_INFINITY,
      hurried: isHurried ? before.hurried + 1 : 0,
      unauthorized: before?.unauthorized ?? 0,
      next: isOnce ? never : over,
    }
    if (calls.isAlone && attempt.hurried >= hurried.count) this.#parts.break('a call is tried again after a wait', key)
    this.#byKey.set(key, { ...calls, last: attempt })
    return (result) => {
      this.#noteEnd()
      attempt.endedMs = nowMs()
      if (result.kind === 'answered' && result.status === unauthorized) attempt.unauthorized++
      attempt.next = this.#nextOf(result, attempt, isOnce)
    }
  }

  /** Whether the process that makes the next attempt knows what became of the last one. Of `never` every process knows. */
  #isKnown({ last }: CallsOfKey): boolean {
    if (last?.next.at === 'never') return true
    const { ownAgent } = this.#parts
    return ownAgent !== undefined && last !== undefined && last.sentMs >= ownAgent.startedMs()
  }

  #check(key: string, { next }: Attempt, isOnce: boolean): void {
    const { nowMs } = this.#parts
    if (!('fromMs' in next))
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
    const again: Next = { at: 'must', fromMs: 0 }
    if (result.kind === 'failed') return isOnce && result.wasSent ? never : again
    const { status } = result
    if (status === unauthorized) {
      if (!this.#parts.isClockRight()) return { at: 'may', fromMs: 0 }
      return !isOnce && attempt.unauthorized === 1 ? again : over
    }
    if (isOnce && (status < 300 || status === requestTimeout || status >= 500)) return never
    if (isOnce ? !tooSoon.has(status) : !failed.has(status) && status < 500) return over
    const nowMs = this.#parts.nowMs()
    const untilDateMs = this.#parts.isClockRight() ? askedDateWaitMs(result, nowMs) : 0
    const fromMs = nowMs + Math.max(askedWaitMs(result), untilDateMs) * (1 - driftRate)
    return { at: isAskedToWaitUntil(result) ? 'may' : 'must', fromMs }
  }
}

const purchase = 'transaction.create '
const onceOperations = [purchase, 'market.register ', 'character.link ']
