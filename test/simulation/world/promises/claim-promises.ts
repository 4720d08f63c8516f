import { idOfRequest, ownFileOf } from '../../../../agent/spool/names.ts'
import { limits } from '../../../../contract/limits.ts'
import type { ModelHost } from '../../host.ts'
import type { Break } from './judge.ts'
import { Since } from './since.ts'

interface ClaimPromisesParts {
  readonly break: Break
  readonly host: ModelHost
  readonly spool: string
  /** When the agent that runs now was started; undefined if none runs. */
  readonly startedMs: () => number | undefined
  /** Whether another program opens the files in waves, so that they cannot be renamed. */
  readonly isScanned: boolean
  readonly nowMs: () => number
}

/** A request is claimed within a second. A disk may be slow to sync, and a start takes a while. */
const unclaimedMsMax = 10_000
/** A file that could not be renamed is tried again after half a minute. */
const lockedMsMax = 40_000

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
    const { host, isScanned } = this.#parts
    const unclaimed = this.#unclaimed.look(this.#findUnclaimed(), isScanned ? lockedMsMax : unclaimedMsMax)
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
      if (id !== undefined && !claimed.has(id)) yield `${name} of the agent since ${sinceMs}`
    }
  }
}
