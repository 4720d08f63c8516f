import type { AttemptResult } from '../../../../agent/platform/attempt-result.ts'
import type { SentRequest } from '../witnessed.ts'
import type { Break } from './judge.ts'

interface ReportPromisesParts {
  readonly break: Break
  readonly nowMs: () => number
  /** When the process that runs now was started: another one does not know what the platform asked for. */
  readonly startedMs: () => number
}

interface Wait {
  readonly startedMs: number
  readonly untilMs: number
}

/** Answers whose `Retry-After` counts. */
const waiting: ReadonlySet<number> = new Set([429, 503])
/** No platform needs more. */
const waitMsMax = 3_600_000
/** What the clock of a host may drift. */
const driftRate = 0.01

/** What an agent promises about the results that it reports by itself. */
export class ReportPromises {
  readonly #parts: ReportPromisesParts
  readonly #waits = new Map<string, Wait>()

  constructor(parts: ReportPromisesParts) {
    this.#parts = parts
  }

  /** @returns Called when the attempt has ended. */
  onSent({ path }: SentRequest): ((result: AttemptResult) => void) | undefined {
    const { nowMs, startedMs } = this.#parts
    const [, id] = /^\/v1\/api\/transactions\/(\d+)\/delivery/.exec(path) ?? []
    if (id === undefined) return undefined
    const wait = this.#waits.get(id)
    if (wait?.startedMs === startedMs() && nowMs() < wait.untilMs)
      this.#parts.break('a result is not reported before the platform allows it', `${id}, ${wait.untilMs - nowMs()} ms`)
    return (result) => {
      const asked = result.kind === 'answered' && waiting.has(result.status) ? Number(result.retryAfter ?? 0) : 0
      const waitMs = Math.min(asked * 1_000, waitMsMax) * (1 - driftRate)
      this.#waits.set(id, { startedMs: startedMs(), untilMs: nowMs() + waitMs })
    }
  }

  /** The game server may say something else now. */
  onHandedOver(transactionId: number): void {
    this.#waits.delete(String(transactionId))
  }
}
