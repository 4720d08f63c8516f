import type { SignedWebhook, Workbench } from './workbench.ts'

/**
 * One thing that a receiver has to get right. What is sent is what the platform sends, but for the one thing that it is
 * about, so that a receiver fails the probe of its fault and, where it can be, no other.
 */
export interface Probe {
  readonly name: string
  /** Where the interface asks for it. */
  readonly rule: string
  /** What is sent, in a few words. */
  readonly sent: string
  /** `taken`: 2xx, to an order with the stock that is left. `refused`: any answer but 2xx. */
  readonly expected: 'taken' | 'refused'
  /** In the order of their sending; each is held to `expected`, groundwork excepted. */
  readonly webhooks: (bench: Workbench) => readonly SignedWebhook[]
  /** All of them are sent together. */
  readonly areSentAtOnce?: true
  /** What a proper answer still does not prove. */
  readonly unproven?: string
}
