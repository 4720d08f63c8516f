import { idOfRequest, ownFileOf } from '../../../../agent/spool/names.ts'
import type { ModelHost } from '../../host.ts'
import type { Break } from './judge.ts'

interface ComeBackPromisesParts {
  readonly break: Break
  readonly host: ModelHost
  readonly spool: string
  readonly nowMs: () => number
}

/** How long the name of a request or an answer may be gone before no power cut brings it back. A claim waits for its answer. */
const unsyncedMsMax = 60_000

/** What was answered is not answered again after a power cut (I3): what is gone from the outbox is soon gone from the disk. */
export class ComeBackPromises {
  readonly #parts: ComeBackPromisesParts
  /** Since when each name is gone that a power cut would bring back. */
  #goneSinceMs = new Map<string, number>()

  constructor(parts: ComeBackPromisesParts) {
    this.#parts = parts
  }

  /** While the agent runs and its disk is healthy. */
  check(): void {
    const { host, spool, nowMs } = this.#parts
    const outbox = `${spool}/outbox`
    const there = new Set(host.disk.namesIn(outbox))
    const gone = new Map<string, number>()
    for (const name of host.disk.durableNamesIn(outbox)) {
      if (there.has(name) || !isAnswered(name)) continue
      const sinceMs = this.#goneSinceMs.get(name) ?? nowMs()
      gone.set(name, sinceMs)
      if (nowMs() - sinceMs > unsyncedMsMax)
        this.#parts.break('what is answered does not come back after a power cut', `${host.name} ${name}`)
    }
    this.#goneSinceMs = gone
  }

  /** What was gone in a wave is not counted. */
  reset(): void {
    this.#goneSinceMs = new Map()
  }
}

/** A temporary file that comes back is removed at the next start. */
function isAnswered(name: string): boolean {
  const own = ownFileOf(name)
  return own ? own.kind !== 'temporary' : idOfRequest(name) !== undefined
}
