import { type AgentState, stockIn } from '../../agent/model-outside.ts'
import type { ModelPlatform } from '../model-platform.ts'
import type { AgentWitness, GivenCall } from '../witnessed.ts'
import type { Break } from './judge.ts'
import { itemOf } from './stock-of.ts'

interface NotedReplyParts {
  readonly break: Break
  readonly state: AgentState
  readonly platform: Pick<ModelPlatform, 'itemOf'>
}

/**
 * When the agent confirms a reply, its ledger has the stock, also of a reply that repeats the result of an earlier one. Of a game
 * server that replies by calls only.
 */
export class NotedReplyPromises implements Partial<AgentWitness> {
  readonly #parts: NotedReplyParts
  /** How often a stock of each item was said or noted. */
  readonly #said = new Map<string, number>()
  /** Replies, and the count of their item by then. */
  readonly #underWay = new WeakMap<GivenCall, number>()

  constructor(parts: NotedReplyParts) {
    this.#parts = parts
  }

  onTaken(call: GivenCall): void {
    if (call.input?.['observedQuantity'] === undefined) return
    const said = this.#count(itemOf(call, this.#parts.platform))
    if (call.operation === 'orders.take') this.#underWay.set(call, said)
  }

  /** Of a call that was taken before. */
  onObserved(itemRef: string): void {
    this.#count(itemRef)
  }

  onGiven(call: GivenCall, text: string): void {
    const begun = this.#underWay.get(call)
    const itemRef = itemOf(call, this.#parts.platform)
    if (begun === undefined || begun !== this.#said.get(itemRef) || !text.startsWith('{"ok":true')) return
    const said = call.input?.['observedQuantity']
    const noted = stockIn(this.#parts.state, itemRef, 'now')
    if (noted !== said)
      this.#parts.break(
        'the stock of a reply that is confirmed is in the ledger',
        `${itemRef}: ${noted} in place of ${said}`,
      )
  }

  #count(itemRef: string): number {
    const said = (this.#said.get(itemRef) ?? 0) + 1
    this.#said.set(itemRef, said)
    return said
  }
}
