import { operations } from '../../../../contract/operations.ts'
import type { Day } from '../day.ts'
import type { SentRequest } from '../sent-request.ts'
import type { AgentWitness, GivenCall } from '../witnessed.ts'
import type { ProcessParts } from './judge.ts'

/** What puts the requests of a game server in order; undefined for those that nothing orders. */
export function keyOf({ operation, transactionId, input }: SentRequest): string | undefined {
  const orderedBy = operation && operations[operation].orderedBy
  if (!orderedBy) return undefined
  return `${orderedBy} ${orderedBy === 'transactionId' ? transactionId : input[orderedBy]}`
}

/** What puts a call in order. */
function keyOfTurn({ operation = '', input = {} }: GivenCall): string {
  return operation.startsWith('transaction.')
    ? `transactionId ${input['transactionId']}`
    : `itemRef ${input['itemRef']}`
}

/** Longer than the wait before an attempt. Retries of an earlier call follow each other sooner. */
const nothingSentMsMax = 20_000

interface KeyPromisesParts extends ProcessParts {
  readonly day: Day
  /** Otherwise a call may wait for one of another agent. */
  readonly hasOwnStore: boolean
}

/** One agent has at most one request of a key under way, and a call waits only for one that is. */
export class KeyPromises implements Partial<AgentWitness> {
  readonly #parts: KeyPromisesParts
  /** By key, when the process was started that sends it: what a dead one has sent says nothing. */
  readonly #underWay = new Map<string, number>()
  /** By key, when a request was under way last. */
  readonly #sentMs = new Map<string, number>()
  /** When everything slept last. A call may have waited meanwhile. */
  #sleptMs = Number.NEGATIVE_INFINITY

  constructor(parts: KeyPromisesParts) {
    this.#parts = parts
  }

  /** @returns Called when the request has ended. */
  onSent(request: SentRequest): () => void {
    const key = keyOf(request)
    if (key === undefined) return () => undefined
    const { nowMs } = this.#parts
    const startedMs = this.#parts.startedMs()
    if (this.#underWay.get(key) === startedMs) this.#parts.break('an agent sends one request of a key at a time', key)
    this.#underWay.set(key, startedMs)
    return () => {
      this.#sentMs.set(key, nowMs())
      if (this.#underWay.get(key) === startedMs) this.#underWay.delete(key)
    }
  }

  /** Everything slept. */
  onSlept(): void {
    this.#sleptMs = this.#parts.nowMs()
  }

  onGiven(call: GivenCall, text: string): void {
    const { day, hasOwnStore } = this.#parts
    // In the storm an earlier call may wait as long as the platform asks, and in a night all may sleep.
    if (
      !hasOwnStore ||
      day.phase === 'open' ||
      day.phase === 'night' ||
      !text.includes('"code":"EARLIER_CALL_UNFINISHED"')
    )
      return
    const key = keyOfTurn(call)
    const startedMs = this.#parts.startedMs()
    if (this.#underWay.get(key) === startedMs) return
    const quietSinceMs = Math.max(startedMs, this.#sleptMs, this.#sentMs.get(key) ?? 0)
    if (this.#parts.nowMs() > quietSinceMs + nothingSentMsMax)
      this.#parts.break('a call waits only for an earlier one that is under way', `${key}: ${text}`)
  }
}
