import type { StoreCluster } from '../../sql/store-cluster.ts'
import type { AgentWitness, GivenCall } from '../witnessed.ts'
import type { ProcessParts } from './judge.ts'

interface WaitedForParts extends ProcessParts {
  readonly store: Pick<StoreCluster, 'isFull'>
  readonly callDeadlineMs: () => number
}

/** Each call that has an id with this beginning has the same input. */
const ofEqualCalls = 'character.link-'
/** What a clock may drift until the deadline of a call, and the way. */
const leewayMs = 1_000

/** A call waits until its deadline for an equal one on another host. */
export class WaitedForPromises implements Partial<AgentWitness> {
  readonly #parts: WaitedForParts
  /** The calls that each id has under way, in the order in which they came. */
  readonly #underWay = new Map<string, Map<GivenCall, { readonly takenMs: number; readonly wasFull: boolean }>>()

  constructor(parts: WaitedForParts) {
    this.#parts = parts
  }

  onTaken(call: GivenCall): void {
    const { id } = call
    const { nowMs, store } = this.#parts
    if (!id?.startsWith(ofEqualCalls)) return
    const calls = this.#underWay.get(id) ?? new Map()
    this.#underWay.set(id, calls.set(call, { takenMs: nowMs(), wasFull: store.isFull }))
  }

  onGiven(call: GivenCall, text: string): void {
    const { id = '' } = call
    const calls = this.#underWay.get(id)
    const { startedMs } = this.#parts
    const first = calls?.values().find(({ takenMs }) => takenMs >= startedMs())
    calls?.delete(call)
    if (!first || !text.includes('"code":"CALL_UNDER_WAY"')) return
    const { nowMs, store, callDeadlineMs } = this.#parts
    const waitedMs = nowMs() - first.takenMs
    // Without room nothing is waited for.
    if (!first.wasFull && !store.isFull && waitedMs < callDeadlineMs() - leewayMs)
      this.#parts.break('an equal call on another host is waited for', `${id}: ${waitedMs} ms`)
  }
}
