import { ownFileOf } from '../../../../agent/spool/names.ts'
import type { ModelHost } from '../../host.ts'
import type { ModelDatabase } from '../../stores/model-database.ts'
import type { SentRequest } from '../witnessed.ts'
import type { Break } from './judge.ts'

const dirs = ['', '/outbox', '/inbox', '/events', '/replies']

/** Longer than an attempt may arrive late. */
const stillMsMin = 60_000

export interface StopParts {
  readonly break: Break
  readonly host: ModelHost
  readonly spool: string
  /** Of the agent's own store; undefined for one that others share. */
  readonly journal: ModelDatabase | undefined
  readonly nowMs: () => number
  /** When the process that runs now was started. */
  readonly startedMs: () => number
}

/** A clean stop leaves no claim and no temporary file (I9), and the next start need not expect what cannot arrive any more. */
export class StopPromises {
  readonly #parts: StopParts
  /** When something with a stock left last: a request, or any 2xx, because one without a stock is noted too. */
  #lastLateMs = Number.NEGATIVE_INFINITY

  constructor(parts: StopParts) {
    this.#parts = parts
  }

  /** A request leaves for the platform. */
  onSent({ input }: Pick<SentRequest, 'input'>): undefined {
    if ('observedQuantity' in input) this.#lastLateMs = this.#parts.nowMs()
  }

  /** The answer to a webhook is a 2xx. */
  onAcknowledged(): void {
    this.#lastLateMs = this.#parts.nowMs()
  }

  /** A stop begins. @returns Called when it has ended. */
  onStop(): () => void {
    const { host } = this.#parts
    const before = new Set(this.#ownFiles('claim', 'done'))
    const { changes } = host.diskFaults
    return () => {
      // One of an earlier agent may have been sent, so it stays.
      const claim = this.#ownFiles('claim', 'done').find((file) => !before.has(file))
      if (claim !== undefined) this.#parts.break('a stop leaves no claim', claim)
      const [temporary] = this.#ownFiles('temporary')
      // One that could not be removed stays until the next start.
      if (temporary !== undefined && !host.diskFaults.failedCalls.has('unlink'))
        this.#parts.break('a stop leaves no temporary file', temporary)
      if (host.diskFaults.isHealthy && host.diskFaults.changes === changes) this.#checkStillness()
    }
  }

  #checkStillness(): void {
    const { journal, host, nowMs, startedMs } = this.#parts
    if (!journal || nowMs() < Math.max(startedMs(), this.#lastLateMs) + stillMsMin) return
    const lateMs = Number(journal.db.prepare('SELECT attempt_lifetime_ms FROM journal').get()?.['attempt_lifetime_ms'])
    if (lateMs > 0)
      this.#parts.break('a stop when nothing is on its way leaves nothing to wait for', `${host.name}: ${lateMs} ms`)
  }

  #ownFiles(...kinds: readonly string[]): readonly string[] {
    const { name, disk } = this.#parts.host
    return dirs.flatMap((dir) =>
      disk
        .namesIn(`${this.#parts.spool}${dir}`)
        .filter((file) => kinds.includes(ownFileOf(file)?.kind ?? ''))
        .map((file) => `${name} ${dir}/${file}`),
    )
  }
}
