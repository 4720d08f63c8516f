import { idOfRequest, ownFileOf } from '../../../../agent/spool/names.ts'
import type { ModelHost } from '../../host.ts'
import type { Break } from './judge.ts'

interface ComeBackPromisesParts {
  readonly break: Break
  readonly host: ModelHost
  readonly spool: string
  readonly nowMs: () => number
}

/** How long a name may be gone from the outbox and still be on the disk. Longer than a claim waits for its answer, which syncs both. */
const unsyncedMsMax = 60_000

/** What is gone from the outbox is soon gone from the disk too. Otherwise a power cut would bring back what was answered (I3). */
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
      if (there.has(name) || !isTakenUp(name)) continue
      const sinceMs = this.#goneSinceMs.get(name) ?? nowMs()
      gone.set(name, sinceMs)
      if (nowMs() - sinceMs > unsyncedMsMax)
        this.#parts.break('what is answered does not come back after a power cut', `${host.name} ${name}`)
    }
    this.#goneSinceMs = gone
  }

  /** Begins again: in a wave or a night a disk may not sync. */
  reset(): void {
    this.#goneSinceMs = new Map()
  }
}

/** Whether the next agent would act on this name. It only removes a temporary file. */
function isTakenUp(name: string): boolean {
  const own = ownFileOf(name)
  return own ? own.kind !== 'temporary' : idOfRequest(name) !== undefined
}
