import type { WebhookPost } from '../../../../platform-stub/webhooks/webhook-post.ts'
import type { ModelPlatform } from '../model-platform.ts'
import { fieldsIn } from './fields-in.ts'
import type { Break } from './judge.ts'

interface Order {
  readonly event: string
  readonly itemRef: string
  readonly transactionId: number
}

/** The stock in the answer to an order counts, unless the game server has reported one since the order left (interface, section 2). */
export class ReplyStockPromises {
  readonly #break: Break
  readonly #platform: () => ModelPlatform
  /** How many stocks of each item were reported. */
  readonly #reports = new Map<string, number>()
  /** Of an answer that the platform is about to take. */
  #checkTaken: (() => void) | undefined

  constructor(onBroken: Break, platform: () => ModelPlatform) {
    this.#break = onBroken
    this.#platform = platform
  }

  /** A webhook leaves. @returns Called when it has ended, before the platform takes the answer. */
  readonly onPosting = ({ body, signature }: Pick<WebhookPost, 'body' | 'signature'>): (() => void) => {
    const { event, itemRef = '', transactionId = 0 } = fieldsIn<Order>(body)
    const reportsBefore = this.#reports.get(itemRef)
    return () => {
      if (event !== 'transfer_order') return
      const before = this.#stockOf(itemRef)
      const endedAt = this.#platform().composed.clock.nowMs()
      const isNewest = this.#reports.get(itemRef) === reportsBefore
      this.#checkTaken = () => {
        const answer = this.#takenAnswer(transactionId, signature)
        if (answer === undefined) return
        const { observedQuantity } = fieldsIn<{ readonly observedQuantity: number }>(answer)
        const counts = isNewest && observedQuantity !== undefined
        const due = counts ? `${observedQuantity} at ${endedAt}` : before
        const taken = this.#stockOf(itemRef)
        if (taken !== due)
          this.#break('the stock in an answer counts if it is the newest', `${itemRef}: ${taken}, not ${due}`)
      }
    }
  }

  /** The platform has accepted a stock that the game server has reported. */
  readonly onReported = (itemRef: string): void => {
    this.#reports.set(itemRef, (this.#reports.get(itemRef) ?? 0) + 1)
  }

  /** Before the next event: the platform has taken what the last one has brought. */
  check(): void {
    this.#checkTaken?.()
    this.#checkTaken = undefined
  }

  #stockOf(itemRef: string): string {
    const { observedQuantity, observedAt } = this.#platform().listingOf(itemRef) ?? {}
    return `${observedQuantity} at ${observedAt}`
  }

  /** The last 2xx to an order; undefined if that attempt has not ended so. */
  #takenAnswer(transactionId: number, signature: string | null): string | undefined {
    const { webhooks } = this.#platform().composed.platform.tables
    const order = webhooks.newestOf(transactionId, 2).find(({ event }) => event === 'transfer_order')
    const [attempt] = order ? webhooks.newestAttempts(order.id, null, 1) : []
    const isTaken = attempt?.signature === signature && (attempt.responseStatus ?? 500) < 300
    return isTaken ? (attempt.responseBody ?? undefined) : undefined
  }
}
