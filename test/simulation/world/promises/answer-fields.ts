import { operationNamed } from '../../../../contract/operations.ts'
import type { GameCall, Told } from '../game/call-agent.ts'
import type { GameWays } from '../game/game-parts.ts'
import type { Break } from './judge.ts'

interface AnswerFieldsParts {
  readonly break: Break
  readonly nowMs: () => number
  readonly callsBy: GameWays['callsBy']
}

/** Longer than an answer is remembered, and a call with it. */
const forgottenMs = 11 * 60_000

/** What a caller is told if nothing was sent. */
const unsent = 'nada foi enviado'

/** An answer is the one to its request, and not to another one that had the same id long ago (I5). Its fields do not contradict each other. */
export class AnswerFields {
  readonly #parts: AnswerFieldsParts
  /** When each id was used last, by operation. */
  readonly #askedMs = new Map<string, Map<string, number>>()

  constructor(parts: AnswerFieldsParts) {
    this.#parts = parts
  }

  onAsked({ id, operation }: GameCall): void {
    if (id === undefined) return
    const asked = this.#askedMs.get(id) ?? new Map<string, number>()
    this.#askedMs.set(id, asked.set(operation, this.#parts.nowMs()))
  }

  onTold(call: GameCall, { ok, data, isUncertain, code, text }: Told): void {
    if (isUncertain && text.includes(unsent))
      this.#parts.break('an answer that says that nothing was sent is not uncertain', `${call.operation}: ${text}`)
    const operation = operationNamed(call.operation)
    const mayAct = operation?.kind === 'platform' && operation.retry !== 'safe'
    // Another agent may have the id, or another file.
    if (isUncertain && !mayAct && code !== 'CALL_UNDER_WAY' && !this.#isAmbiguous(call))
      this.#parts.break('a call that changes nothing is not in doubt', `${call.operation}: ${text}`)
    if (!ok || operation?.kind !== 'platform' || !operation.output || this.#isAmbiguous(call)) return
    // In a file a listing's own id has another name.
    const { listingId = data['id'] } = data
    if (!operation.output.safeParse({ ...data, id: listingId }).success)
      this.#parts.break('an answer is the one to its request', `${call.operation}: ${text}`)
  }

  /** A file does not say which of two calls it answers. */
  #isAmbiguous({ id = '', operation }: GameCall): boolean {
    const { callsBy, nowMs } = this.#parts
    const isRecent = ([name, askedMs]: readonly [string, number]) =>
      name !== operation && askedMs > nowMs() - forgottenMs
    return callsBy === 'files' && (this.#askedMs.get(id)?.entries().some(isRecent) ?? false)
  }
}
