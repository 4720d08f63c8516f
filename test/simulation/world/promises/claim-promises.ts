import { idOfRequest, ownFileOf } from '../../../../agent/spool/names.ts'
import { limits } from '../../../../contract/limits.ts'
import type { ModelHost } from '../../host.ts'
import { isStrange } from '../strange-files.ts'
import type { Break } from './judge.ts'
import { Since } from './since.ts'
import { SteadyDisk } from './steady-disk.ts'

interface ClaimPromisesParts {
  readonly break: Break
  readonly host: ModelHost
  readonly spool: string
  /** When the agent that runs now was started; undefined if none runs. */
  readonly startedMs: () => number | undefined
  readonly nowMs: () => number
}

/** How long a request may wait that could not be renamed: it is tried again after half a minute. */
const afterFailureMsMax = 40_000
/** How long a request may wait that nothing has failed with. */
const unclaimedMsMax = 5_000
/** How long a call to a disk takes at most that is not slow. */
const fastMsMax = 10

/**
 * While the agent runs and one of its slots is free, a request file is soon claimed. Another file that is still being written
 * does not delay it.
 */
export class ClaimPromises {
  readonly #parts: ClaimPromisesParts
  /** Requests that could be claimed, each with the start of the agent that runs. */
  readonly #unclaimed: Since
  readonly #disk: SteadyDisk

  constructor(parts: ClaimPromisesParts) {
    this.#parts = parts
    this.#unclaimed = new Since(parts.nowMs)
    this.#disk = new SteadyDisk(parts.host.diskFaults, parts.nowMs)
  }

  /** After the storm. */
  check(): void {
    const { host, nowMs } = this.#parts
    const sinceMs = this.#disk.look()
    if (sinceMs === undefined || host.diskFaults.slowMsMax.value > fastMsMax) {
      this.reset()
      return
    }
    const hasFailedLately = nowMs() < sinceMs + afterFailureMsMax
    const unclaimed = this.#unclaimed.look(this.#findUnclaimed(), hasFailedLately ? afterFailureMsMax : unclaimedMsMax)
    if (unclaimed !== undefined)
      this.#parts.break('a request file is claimed while a slot is free', `${host.name}: ${unclaimed}`)
  }

  /** Begins again: everything slept, or the disk is not well. */
  reset(): void {
    this.#unclaimed.reset()
  }

  *#findUnclaimed(): Generator<string> {
    const { host, spool, startedMs } = this.#parts
    const sinceMs = startedMs()
    if (sinceMs === undefined) return
    const names = host.disk.namesIn(`${spool}/outbox`)
    const own = names.map(ownFileOf)
    const claimed = new Set(own.flatMap((file) => (file && file.kind !== 'temporary' ? file.id : [])))
    if (claimed.size >= limits.spoolInFlightMax) return
    for (const name of names) {
      const id = idOfRequest(name)
      if (id !== undefined && !claimed.has(id) && !isStrange(`outbox/${name}`))
        yield `${name} of the agent since ${sinceMs}`
    }
  }
}
