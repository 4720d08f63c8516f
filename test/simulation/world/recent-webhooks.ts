import type { Random } from '../random.ts'
import type { AgentWitness, ReceivedWebhook } from './witnessed.ts'

const countMax = 5

/** The webhooks that agents received last. */
export class RecentWebhooks implements Partial<AgentWitness> {
  readonly #webhooks: ReceivedWebhook[] = []

  readonly onAcknowledged = (_event: string, _transactionId: number, webhook: ReceivedWebhook): void =>
    this.#add(webhook)
  readonly onWebhookRefused = (webhook: ReceivedWebhook): void => this.#add(webhook)

  /** One of them; undefined if there is none. */
  pick(random: Random): ReceivedWebhook | undefined {
    return this.#webhooks.length === 0 ? undefined : random.pick(this.#webhooks)
  }

  #add(webhook: ReceivedWebhook): void {
    this.#webhooks.push(webhook)
    if (this.#webhooks.length > countMax) this.#webhooks.shift()
  }
}
