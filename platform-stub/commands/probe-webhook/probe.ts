import type { TransferOrder } from '../../../contract/events.ts'
import type { SignedWebhook, Workbench } from './workbench.ts'

/**
 * One rule for a receiver. A probe differs from a proper webhook in one point only, so that a receiver with one fault fails
 * one probe where possible.
 */
export interface Probe {
  readonly name: string
  /** The section of the interface. */
  readonly rule: string
  /** What is sent, in a few words. */
  readonly sent: string
  /** `taken`: 2xx, with the stock in the answer to an order. `refused`: any status but 2xx. */
  readonly expected: 'taken' | 'refused'
  /** Made for one new order, in the order in which they are sent. Each is judged by `expected`, except the groundwork. */
  readonly webhooks: (bench: Workbench, order: TransferOrder) => readonly SignedWebhook[]
  /** All of them are sent together. */
  readonly areSentAtOnce?: true
  /** What to do in the receiver where the answer is not as expected. An imperative without a full stop. */
  readonly cure: string
  /** What a proper answer still does not prove. */
  readonly unproven?: string
}
