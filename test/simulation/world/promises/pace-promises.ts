import type { AttemptResult } from '../../../../agent/platform/attempt-result.ts'
import type { SentRequest } from '../sent-request.ts'
import type { GivenCall } from '../witnessed.ts'
import { askedWaitMs } from './asked-wait.ts'
import type { ProcessParts } from './judge.ts'

/** The calls with a stock of an item that came over HTTP. */
interface Calls {
  /** Of the process that had them: those of a dead one are never answered. */
  readonly startedMs: number
  readonly underWay: number
  /** Of the call that began last. A repair may send another one. */
  readonly quantity: unknown
  /** How many have begun or ended. */
  readonly changes: number
}

/** A request that may not be sent yet. */
interface Wait {
  readonly startedMs: number
  readonly changes: number
  readonly fromMs: number
}

/** What the drift of a clock takes away from a wait. */
const driftMsMax = 100

/** An agent does not repeat a call about an item before the platform allows it. Seen where one call is under way. */
export class PacePromises {
  readonly #parts: ProcessParts
  /** By item. */
  readonly #calls = new Map<string, Calls>()
  /** By item. */
  readonly #waits = new Map<string, Wait>()

  constructor(parts: ProcessParts) {
    this.#parts = parts
  }

  onTaken(call: GivenCall): void {
    this.#change(call, 1)
  }

  onGiven(call: GivenCall): void {
    this.#change(call, -1)
  }

  /** @returns Called when the attempt has ended. */
  onSent({ operation, input }: SentRequest): ((result: AttemptResult) => void) | undefined {
    if (operation !== 'market.adjust-stock') return undefined
    const { observedQuantity } = input
    const itemRef = String(input['itemRef'])
    const { nowMs, startedMs } = this.#parts
    const wait = this.#waits.get(itemRef)
    const { underWay, changes, quantity } = this.#of(itemRef)
    const isSameCall = wait?.startedMs === startedMs() && wait.changes === changes
    if (isSameCall && nowMs() < wait.fromMs)
      this.#parts.break(
        'a call is not repeated before the platform allows it',
        `${JSON.stringify(input)}, ${wait.fromMs - nowMs()} ms`,
      )
    this.#waits.delete(itemRef)
    return (result) => {
      const waitMs = askedWaitMs(result)
      if (underWay !== 1 || quantity !== observedQuantity || waitMs === 0) return
      this.#waits.set(itemRef, { startedMs: startedMs(), changes, fromMs: nowMs() + waitMs - driftMsMax })
    }
  }

  #change({ operation, input = {} }: GivenCall, by: 1 | -1): void {
    if (operation !== 'market.adjust-stock') return
    const itemRef = String(input['itemRef'])
    const { startedMs, underWay, changes, quantity: before } = this.#of(itemRef)
    const quantity = by === 1 ? input['observedQuantity'] : before
    this.#calls.set(itemRef, { startedMs, underWay: underWay + by, quantity, changes: changes + 1 })
  }

  #of(itemRef: string): Calls {
    const known = this.#calls.get(itemRef)
    const startedMs = this.#parts.startedMs()
    if (known?.startedMs === startedMs) return known
    return { startedMs, underWay: 0, quantity: undefined, changes: 0 }
  }
}
