import { basename, dirname } from 'node:path'
import type { AttemptResult } from '../../../../agent/platform/attempt-result.ts'
import { ownFileOf } from '../../../../agent/spool/names.ts'
import type { Disk } from '../../disk/disk.ts'
import type { SentRequest } from '../sent-request.ts'
import type { AgentWitness } from '../witnessed.ts'
import { keyOfCall, keyOfSent } from './call-keys.ts'
import { isClaimOf } from './claim-of.ts'
import { fieldsIn } from './fields-in.ts'
import type { ProcessParts } from './judge.ts'
import { isRepetition } from './repetition.ts'

interface ClaimedBeforeParts extends ProcessParts {
  readonly disk: Disk
}

interface RequestFile extends Readonly<Record<string, unknown>> {
  readonly action?: string
}

/** A process that ended may have sent what it claimed. So a refusal does not prove that nothing was done (I5). */
export class ClaimedBeforePromises implements Partial<AgentWitness> {
  readonly #parts: ClaimedBeforeParts
  /** When each request was claimed last, by id. */
  readonly #claimedMs = new Map<string, number>()
  /** The last answer to a file of each id, without repetitions. The journal has it for the next file. */
  readonly #answers = new Map<string, string>()
  /** When an attempt was made last, by the key of its call. */
  readonly #sentMs = new Map<string, number>()
  /** When attempts had answers that the journal keeps, by the key of their call. */
  readonly #answeredMs = new Map<string, number[]>()

  constructor(parts: ClaimedBeforeParts) {
    this.#parts = parts
  }

  onSent(request: SentRequest): ((result: AttemptResult) => void) | undefined {
    const key = keyOfSent(request)
    if (key === undefined) return undefined
    this.#sentMs.set(key, this.#parts.nowMs())
    return (result) => {
      if (isKept(result)) this.#answeredMs.set(key, [...(this.#answeredMs.get(key) ?? []), this.#parts.nowMs()])
    }
  }

  onRenamed(_from: string, to: string): void {
    const own = ownFileOf(basename(to))
    if (own?.kind === 'claim') this.#claimedMs.set(own.id, this.#parts.nowMs())
    if (own?.kind === 'done') this.#checkAnswer(own.id, to)
  }

  #checkAnswer(id: string, done: string): void {
    const { disk, startedMs } = this.#parts
    const text = disk.textOf(done)
    const isKnown = this.#answers.get(id) === text
    if (!isRepetition(text)) this.#answers.set(id, text)
    if (isKnown || (this.#claimedMs.get(id) ?? Number.POSITIVE_INFINITY) >= startedMs()) return
    // A file that is not a request was never sent.
    const isProven = text.includes('"ok":true') || text.includes('"status":400') || isRepetition(text)
    if (isProven || text.includes('"uncertain":true') || !this.#mayHaveActed(id, dirname(done))) return
    this.#parts.break('a refusal of a request that an earlier agent claimed is uncertain', `${id}: ${text}`)
  }

  /**
   * Of other calls the agent asks the platform whether they acted, or does not make them again. If this process has made no
   * attempt, the answer is that of the process before, which the journal has. The same is true if that process has had an
   * answer. Then the attempt of this one may belong to an equal call.
   */
  #mayHaveActed(id: string, outbox: string): boolean {
    const { disk, startedMs } = this.#parts
    const claim = disk.namesIn(outbox).find((name) => isClaimOf(id, name))
    const { action = '', ...input } =
      claim === undefined ? {} : fieldsIn<RequestFile>(disk.textOf(`${outbox}/${claim}`))
    const isPutOff = action === 'transaction.delivery-failure' && input['reason'] === 'TEMPORARY'
    const key = keyOfCall({ operation: action, input }) ?? ''
    const isSentAgain = (this.#sentMs.get(key) ?? 0) >= startedMs()
    const claimedMs = this.#claimedMs.get(id) ?? 0
    const wasAnswered = this.#answeredMs.get(key)?.some((ms) => ms >= claimedMs && ms < startedMs())
    return isSentAgain && !wasAnswered && (action === 'market.adjust-stock' || action === 'market.withdraw' || isPutOff)
  }
}

function isKept(result: AttemptResult): boolean {
  return result.kind === 'answered' && (result.status < 300 || result.status === 404 || result.status === 409)
}
