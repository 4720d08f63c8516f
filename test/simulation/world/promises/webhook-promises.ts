import { orderLines } from '../../../../agent/orders/order-changes.ts'
import type { PlatformKey } from '../agent-program.ts'
import type { SentRequest } from '../sent-request.ts'
import type { LoggedLine, ReceivedWebhook } from '../witnessed.ts'
import type { Break } from './judge.ts'
import { readWebhook } from './signature.ts'

/** What the guide allows, and a second for the way. */
export const leewayMs = 31_000
/** How long an order waits for the game server, with what a clock may drift. */
const takenMsMin = 8_800
/** 10 s between two questions, 10 s for the answer, and as much again. */
const questionMsMax = 30_000

interface WebhookPromisesParts {
  readonly break: Break
  /** The key of the platform that the configuration names. */
  readonly platformKey: () => PlatformKey
  /** The platform's own clock. */
  readonly platformMs: () => number
  /** Whether nothing has made the agent's idea of that clock wrong. */
  readonly isClockRight: () => boolean
  /** Whether it was told a time that is days away: then it believes no webhook. */
  readonly wasDateWrong: () => boolean
  /** Whether no other agent puts its orders off, and it has not been told to stop. */
  readonly worksAlone: () => boolean
  readonly nowMs: () => number
}

/**
 * An agent acts only on webhooks that the platform has signed, and not on old ones. It refuses one for its time only after it
 * has asked the platform. A game server has nine seconds to take an order.
 */
export class WebhookPromises {
  readonly #parts: WebhookPromisesParts
  /** When the platform was last asked for its time. */
  #askedMs = Number.NEGATIVE_INFINITY
  /**
   * When an offer of each order was last replaced: the platform accepted that the order is put off, which may come from an
   * earlier offer, or a question to the platform opened the order again just after the game server took it.
   */
  readonly #replacedMs = new Map<number, number>()

  constructor(parts: WebhookPromisesParts) {
    this.#parts = parts
  }

  onSent({ path }: SentRequest): undefined {
    if (path === '/v1/api/market/eligibility/clock') this.#askedMs = this.#parts.nowMs()
  }

  onLogged({ msg, transactionId }: LoggedLine): void {
    const isReplaced = msg === orderLines.putOff || msg === orderLines.openAgain
    if (isReplaced && transactionId !== undefined) this.#replacedMs.set(transactionId, this.#parts.nowMs())
  }

  onAcknowledged(_event: string, _transactionId: number, webhook: ReceivedWebhook): void {
    const { platformMs, isClockRight, platformKey, nowMs } = this.#parts
    const { isSigned, expiresMs } = readWebhook(webhook, platformKey())
    // The agent checks the time when the webhook arrives. All machines may sleep before its answer.
    const arrivedMs = platformMs() - (nowMs() - webhook.arrivedMs)
    if (!isSigned || (isClockRight() && expiresMs + leewayMs <= arrivedMs))
      this.#parts.break('a webhook is accepted only with a valid signature', JSON.stringify(webhook.rawHeaders))
  }

  onWebhookRefused(webhook: ReceivedWebhook): void {
    const { platformMs, wasDateWrong, platformKey } = this.#parts
    const { isSigned, expiresMs } = readWebhook(webhook, platformKey())
    // One whose key was replaced meanwhile may be refused for that.
    if (webhook.arrivedMs < platformKey().sinceMs) return
    const isAsked = this.#askedMs >= webhook.arrivedMs - questionMsMax
    if (isSigned && expiresMs > platformMs() && !isAsked && !wasDateWrong())
      this.#parts.break('a webhook is refused for its time only after the platform was asked', `until ${expiresMs}`)
  }

  onNotTaken(transactionId: number, { arrivedMs }: ReceivedWebhook): void {
    const { nowMs, worksAlone } = this.#parts
    const waitedMs = nowMs() - arrivedMs
    const isReplaced = (this.#replacedMs.get(transactionId) ?? 0) >= arrivedMs
    if (waitedMs < takenMsMin && worksAlone() && !isReplaced)
      this.#parts.break('a game server has nine seconds to take an order', `${transactionId}: ${waitedMs} ms`)
  }
}
