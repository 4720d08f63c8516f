import type { SentRequest } from '../witnessed.ts'
import type { Break } from './judge.ts'

/** What puts the requests of a game server in order; undefined for those that nothing orders. */
export function keyOf({ path, input }: SentRequest): string | undefined {
  const [, transactionId] = /^\/v1\/api\/transactions\/(\d+)\/delivery/.exec(path) ?? []
  if (transactionId !== undefined) return `transactionId ${transactionId}`
  if (path !== '/v1/api/market/listings') return undefined
  return `itemRef ${input['itemRef']}`
}

/** One agent has at most one request of a key under way. */
export class KeyPromises {
  readonly #break: Break
  readonly #startedMs: () => number
  /** By key, when the process was started that sends it: what a dead one has sent says nothing. */
  readonly #underWay = new Map<string, number>()

  /** @param startedMs When the process that runs now was started. */
  constructor(onBroken: Break, startedMs: () => number) {
    this.#break = onBroken
    this.#startedMs = startedMs
  }

  /** @returns Called when the request has ended. */
  onSent(request: SentRequest): () => void {
    const key = keyOf(request)
    if (key === undefined) return () => undefined
    const startedMs = this.#startedMs()
    if (this.#underWay.get(key) === startedMs) this.#break('an agent sends one request of a key at a time', key)
    this.#underWay.set(key, startedMs)
    return () => {
      if (this.#underWay.get(key) === startedMs) this.#underWay.delete(key)
    }
  }
}
