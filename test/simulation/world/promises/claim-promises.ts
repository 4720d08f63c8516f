import { idOfRequest, ownFileOf } from '../../../../agent/spool/names.ts'
import { limits } from '../../../../contract/limits.ts'
import type { ModelHost } from '../../host.ts'
import { isStrange } from '../strange-files.ts'
import type { Break } from './judge.ts'
import { Since } from './since.ts'

interface ClaimPromisesParts {
  readonly break: Break
  readonly host: ModelHost
  readonly spool: string
  /** When the agent that runs now was started; undefined if none runs. */
  readonly startedMs: () => number | undefined
  readonly nowMs: () => number
}

/** One that could not be renamed before is tried again after half a minute. */
const unclaimedMsMax = 40_000
/** On a disk that has worked for longer than that. */
const unclaimedSoonMsMax = 5_000
/** How long a call to a slow disk may take at least. */
const slowMsMin = 10

/** While the agent runs and one of its slots is free, a request file is soon claimed. Another file that is still being written does not delay it. */
export class ClaimPromises {
  readonly #parts: ClaimPromisesParts
  /** Requests that could be claimed, each with the start of the agent that runs. */
  readonly #unclaimed: Since
  #diskChanges = 0
  #diskChangedMs = 0

  constructor(parts: ClaimPromisesParts) {
    this.#parts = parts
    this.#unclaimed = new Since(parts.nowMs)
  }

  /** After the storm. */
  check(): void {
    const { host, nowMs } = this.#parts
    const { isHealthy, changes, slowMsMax } = host.diskFaults
    const isWell = isHealthy && slowMsMax.value < slowMsMin
    if (!isWell || changes !== this.#diskChanges) {
      this.#diskChanges = changes
      this.#diskChangedMs = nowMs()
      this.#unclaimed.reset()
    }
    if (!isWell) return
    const hasFailed = nowMs() < this.#diskChangedMs + unclaimedMsMax
    const unclaimed = this.#unclaimed.look(this.#findUnclaimed(), hasFailed ? unclaimedMsMax : unclaimedSoonMsMax)
    if (unclaimed !== undefined)
      this.#parts.break('a request file is claimed while a slot is free', `${host.name}: ${unclaimed}`)
  }

  /** Begins again: everything slept. */
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
