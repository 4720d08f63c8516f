import { idOfRequest, ownFileOf } from '../../../../agent/spool/names.ts'
import type { ModelHost } from '../../host.ts'
import type { Break } from './judge.ts'
import { Since } from './since.ts'

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
  /** The names that are gone, and that a power cut would bring back. */
  readonly #gone: Since

  constructor(parts: ComeBackPromisesParts) {
    this.#parts = parts
    this.#gone = new Since(parts.nowMs)
  }

  /** While the agent runs and its disk is healthy. */
  check(): void {
    const { host, spool } = this.#parts
    const outbox = `${spool}/outbox`
    const stays = this.#gone.look(host.disk.namesThatComeBack(outbox).filter(isTakenUp), unsyncedMsMax)
    if (stays !== undefined)
      this.#parts.break('what is answered does not come back after a power cut', `${host.name} ${stays}`)
  }

  /** Begins again: in a wave or a night a disk may not sync. */
  reset(): void {
    this.#gone.reset()
  }
}

/** Whether the next agent would act on this name. It only removes a temporary file. */
function isTakenUp(name: string): boolean {
  const own = ownFileOf(name)
  return own ? own.kind !== 'temporary' : idOfRequest(name) !== undefined
}
