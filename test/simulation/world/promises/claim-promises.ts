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

/** A request is claimed within a second. One that could not be renamed before is tried again after half a minute. */
const unclaimedMsMax = 40_000

/** While the agent runs and one of its slots is free, a request file is soon claimed. */
export class ClaimPromises {
  readonly #parts: ClaimPromisesParts
  /** Requests that could be claimed, each with the start of the agent that runs. */
  readonly #unclaimed: Since

  constructor(parts: ClaimPromisesParts) {
    this.#parts = parts
    this.#unclaimed = new Since(parts.nowMs)
  }

  /** While nothing is broken. */
  check(): void {
    const { host } = this.#parts
    const unclaimed = this.#unclaimed.look(this.#findUnclaimed(), unclaimedMsMax)
    if (unclaimed !== undefined)
      this.#parts.break('a request file is claimed while a slot is free', `${host.name}: ${unclaimed}`)
  }

  /** Begins again: in a wave or a night files are locked, and an agent may be away. */
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
