import { basename, dirname } from 'node:path'
import { ownFileOf } from '../../../../agent/spool/names.ts'
import type { Disk } from '../../disk/disk.ts'
import type { AgentWitness } from '../witnessed.ts'
import { isClaimOf } from './claim-of.ts'
import type { Break } from './judge.ts'
import { isRepetition } from './repetition.ts'

interface ClaimedBeforeParts {
  readonly break: Break
  readonly disk: Disk
  /** When the process that runs now was started. */
  readonly startedMs: () => number
  readonly nowMs: () => number
}

interface RequestFile {
  readonly action?: string
  readonly reason?: string
}

/** A process that ended may have sent what it claimed. So a refusal does not prove that nothing was done (I5). */
export class ClaimedBeforePromises implements Partial<AgentWitness> {
  readonly #parts: ClaimedBeforeParts
  /** When each request was claimed last, by id. */
  readonly #claimedMs = new Map<string, number>()

  constructor(parts: ClaimedBeforeParts) {
    this.#parts = parts
  }

  onRenamed(_from: string, to: string): void {
    const own = ownFileOf(basename(to))
    if (own?.kind === 'claim') this.#claimedMs.set(own.id, this.#parts.nowMs())
    if (own?.kind === 'done') this.#checkAnswer(own.id, to)
  }

  #checkAnswer(id: string, done: string): void {
    const { disk, startedMs } = this.#parts
    if ((this.#claimedMs.get(id) ?? Number.POSITIVE_INFINITY) >= startedMs()) return
    const text = disk.textOf(done)
    // A file that is not a request was never sent. The journal may have the answer of the process before.
    const isProven = text.includes('"ok":true') || text.includes('"status":400') || isRepetition(text)
    if (isProven || text.includes('"uncertain":true') || !this.#mayHaveActed(id, dirname(done))) return
    this.#parts.break('a refusal of a request that an earlier agent claimed is uncertain', `${id}: ${text}`)
  }

  /** Of other calls the agent asks the platform whether they acted, or does not make them again. */
  #mayHaveActed(id: string, outbox: string): boolean {
    const { disk } = this.#parts
    const claim = disk.namesIn(outbox).find((name) => isClaimOf(id, name))
    const { action, reason } = claim === undefined ? {} : requestIn(disk.textOf(`${outbox}/${claim}`))
    const isPutOff = action === 'transaction.delivery-failure' && reason === 'TEMPORARY'
    return action === 'market.adjust-stock' || action === 'market.withdraw' || isPutOff
  }
}

/** Empty for a file that is not a request. */
function requestIn(text: string): RequestFile {
  try {
    return JSON.parse(text) as RequestFile
  } catch {
    return {}
  }
}
