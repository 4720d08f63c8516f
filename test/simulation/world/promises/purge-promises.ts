import { type AgentState, hasExpiredCall } from '../../agent/model-outside.ts'
import type { DiskFaults } from '../../disk/disk-faults.ts'
import { type HostClock, wasSetSince } from '../../host-clock.ts'
import type { ProcessParts } from './judge.ts'
import { SteadyDisk } from './steady-disk.ts'

interface PurgePromisesParts extends ProcessParts {
  readonly state: AgentState
  readonly disk: DiskFaults
  /** Of the host. */
  readonly clock: Pick<HostClock, 'wallMs' | 'lastSetMs'>
  /** Whether it has begun to work, and no stop has begun. */
  readonly isWorking: () => boolean
}

/** The agent looks once a minute. A row that is not the oldest may stay some minutes longer. */
const keptMsMax = 3 * 60_000

/** What an agent remembers for ten minutes is gone from its disk soon after. An agent with files keeps ids for longer, so it is not checked. */
export class PurgePromises {
  readonly #parts: PurgePromisesParts
  readonly #disk: SteadyDisk
  #sleptMs = Number.NEGATIVE_INFINITY

  constructor(parts: PurgePromisesParts) {
    this.#parts = parts
    this.#disk = new SteadyDisk(parts.disk, parts.nowMs)
  }

  /** Everything slept. */
  onSlept(): void {
    this.#sleptMs = this.#parts.nowMs()
  }

  /** At each look. */
  check(): void {
    const { startedMs, nowMs, clock, state, isWorking } = this.#parts
    const steadySinceMs = this.#disk.look() ?? Number.POSITIVE_INFINITY
    const sinceMs = Math.max(startedMs(), this.#sleptMs, steadySinceMs)
    // Until the next write, the disk does not say that the clock was set.
    const wasClockSet = wasSetSince(clock, startedMs())
    if (!isWorking() || wasClockSet || nowMs() < sinceMs + keptMsMax) return
    if (hasExpiredCall(state, clock.wallMs - keptMsMax))
      this.#parts.break('what an agent has promised to forget is gone from its disk')
  }
}
