import type { AttemptResult } from '../../../../agent/platform/attempt-result.ts'
import type { Status } from '../../../../agent/status/status.ts'
import type { Day } from '../day.ts'
import type { AgentWitness } from '../witnessed.ts'
import type { ProcessParts } from './judge.ts'

interface ClockPromisesParts extends ProcessParts {
  /** The platform's own clock. */
  readonly platformMs: () => number
  /** Of the agent's host. */
  readonly wallMs: () => number
  readonly day: Day
}

/** The last answer that showed the platform's time. */
interface Shown {
  readonly startedMs: number
  readonly atMs: number
  /** How long the answer took. The longer, the less it shows. */
  readonly tookMs: number
}

/** The agent leaves a smaller difference as it is. */
const toleratedMs = 2_000
/** A `Date` has whole seconds. */
const dateResolutionMs = 1_000
/** What the clocks of a host and of the platform may drift. */
const driftRate = 0.02
/** What the status rounds off, and some time on the way. */
const leewayMs = 100

/** An agent knows the platform's time as well as the last answer has shown it. */
export class ClockPromises implements Partial<AgentWitness> {
  readonly #parts: ClockPromisesParts
  #shown: Shown | undefined

  constructor(parts: ClockPromisesParts) {
    this.#parts = parts
  }

  /** A request leaves for the platform. @returns Called when the attempt has ended. */
  onSent(): (result: AttemptResult) => void {
    const { nowMs, startedMs, platformMs } = this.#parts
    const [sentMs, sentPlatformMs] = [nowMs(), platformMs()]
    return (result) => {
      const dateMs = result.kind === 'answered' ? Date.parse(result.date ?? '') : Number.NaN
      if (Number.isNaN(dateMs)) return
      const isRight = dateMs > sentPlatformMs - dateResolutionMs && dateMs <= platformMs()
      this.#shown = isRight ? { startedMs: startedMs(), atMs: nowMs(), tookMs: nowMs() - sentMs } : undefined
    }
  }

  onStatusGiven({ platform: { clockOffsetMs } }: Pick<Status, 'platform'>): void {
    const { nowMs, startedMs, platformMs, wallMs, day } = this.#parts
    const shown = this.#shown
    // In the storm a process may be paused while it signs.
    if (shown?.startedMs !== startedMs() || clockOffsetMs === null || day.phase === 'open') return
    const errorMs = Math.abs(clockOffsetMs - (platformMs() - wallMs()))
    const driftMs = (nowMs() - shown.atMs) * driftRate
    const errorMsMax = toleratedMs + dateResolutionMs + shown.tookMs + driftMs + leewayMs
    if (errorMs > errorMsMax)
      this.#parts.break("an agent knows the platform's time as its answers show it", `${errorMs} ms`)
  }
}
