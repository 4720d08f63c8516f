import { expect } from 'vitest'
import { StoreFullError } from '../../../../agent/database/store-errors.ts'
import { receiveWebhook, type WebhookAnswer } from '../../../../agent/webhook-bridge/receive-webhook.ts'
import type { Life } from './life.ts'
import type { Delivery, Sale } from './platform.ts'
import type { World } from './world.ts'

/** A webhook that the agent has not answered yet. */
interface Attempt {
  readonly life: Life
  readonly delivery: Delivery
  readonly at: number
  readonly timeoutMs: number
  isOpen: boolean
}

const webhookTimeoutMs = 10_000

/** The webhooks of the platform on their way. */
export class Webhooks {
  readonly attempts: Attempt[] = []
  readonly #world: World
  #losesNextAnswer = false

  constructor(world: World) {
    this.#world = world
  }

  /** When an attempt or a delivery is due next. */
  dueMs(): readonly number[] {
    return [
      ...this.#world.platform.pending().map(({ nextMs }) => nextMs),
      ...this.attempts.map(({ timeoutMs }) => timeoutMs),
    ]
  }

  /** Ends what has waited for too long, and sends what is due. */
  async sendDue(): Promise<void> {
    const nowMs = this.#world.clock.wallMs()
    for (const attempt of this.attempts.filter(({ timeoutMs }) => timeoutMs <= nowMs)) this.break(attempt)
    for (const delivery of this.#world.platform.pending()) {
      const isUnderWay = this.attempts.some((attempt) => attempt.delivery === delivery)
      if (delivery.nextMs <= nowMs && !isUnderWay) await this.send(delivery)
    }
  }

  /** Sends a webhook, also one that was acknowledged: each may come several times. */
  async send(delivery: Delivery): Promise<void> {
    delivery.attempts++
    const { life, traces, platform, clock } = this.#world
    if (!life) return platform.retry(delivery)
    const at = traces.next()
    const attempt: Attempt = { life, delivery, at, timeoutMs: clock.wallMs() + webhookTimeoutMs, isOpen: true }
    this.attempts.push(attempt)
    traces.of(delivery.sale).receivedAt.push(at)
    const received = { headerLines: [], body: Buffer.from(platform.bodyOf(delivery)) }
    const openWebhook = async () => ({ ok: true as const, kid: 'platform-1', jti: undefined, exp: 0 })
    const answered = receiveWebhook(received, { orders: life.orders, openWebhook })
    void answered.then((answer) => this.#answer(attempt, answer))
    await this.#world.settle()
  }

  /** The connection of a webhook ends before it is answered. */
  break(attempt: Attempt): void {
    this.#end(attempt, false)
  }

  breakAll(sale?: Sale): void {
    for (const attempt of this.attempts.filter(({ delivery }) => !sale || delivery.sale === sale)) this.break(attempt)
  }

  /** The next answer of the agent leaves and never arrives. */
  loseNextAnswer(): void {
    this.#losesNextAnswer = true
  }

  #end(attempt: Attempt, isAcknowledged: boolean): void {
    const { delivery } = attempt
    attempt.isOpen = false
    this.attempts.splice(this.attempts.indexOf(attempt), 1)
    if (delivery.state !== 'pending') return
    if (isAcknowledged) delivery.state = 'acknowledged'
    else this.#world.platform.retry(delivery)
  }

  async #answer(attempt: Attempt, answer: WebhookAnswer): Promise<void> {
    const { life, delivery } = attempt
    const { traces } = this.#world
    if (life.ledger.isDead || !attempt.isOpen) return
    const isLost = this.#losesNextAnswer
    this.#losesNextAnswer = false
    this.#end(attempt, answer.status === 200 && !isLost)
    if (answer.status === 503) return
    try {
      expect(answer.status).toBe(200)
      await this.#check(attempt, answer)
      if (!answer.acknowledged) return
      await life.orders.book.acknowledge(answer.acknowledged)
      traces.of(delivery.sale).resetAt = traces.next()
    } catch (error) {
      if (!(error instanceof StoreFullError)) traces.bugs.push(String(error))
    }
  }

  /** A 2xx is final: what it says must be in the ledger, and the game server must have the order. */
  async #check({ delivery, at }: Attempt, { body }: WebhookAnswer): Promise<void> {
    const { sale, event } = delivery
    const { traces, platform } = this.#world
    const { resetAt, replyAt, receivedAt } = traces.of(sale)
    const newest = traces.observed.get(sale.itemRef)
    const row = await this.#world.row(sale)
    const about = `${event} of ${sale.transactionId}, ${row?.phase}`
    if (event === 'transaction_terminal') return expect(row?.endText, about).toBe(platform.bodyOf(delivery))
    expect(['taken', 'acknowledged', 'closed'], about).toContain(row?.phase)
    // A reply that the agent has not read yet counts from its reading on.
    if (newest !== undefined && !this.#world.gameServer.hasUnreadReplies())
      expect(body['observedQuantity'], `the newest observation, ${about}`).toBe(newest)
    if (row?.phase === 'closed') return
    // The game server replied while this webhook waited, or after an earlier one whose 2xx may have been lost.
    const mayBeLost = receivedAt.some((earlier) => earlier > resetAt && earlier < at)
    const isReplied = replyAt > resetAt && (replyAt > at || mayBeLost)
    expect(isReplied, `a 2xx follows a reply, and a stored one answers in doubt only: ${about}`).toBe(true)
  }
}
