import { sumOf } from '../../agent/model-outside.ts'
import type { PlatformKey } from '../agent-program.ts'
import type { ReceivedWebhook } from '../witnessed.ts'
import type { Break } from './judge.ts'
import { parseSignature, signatureOf } from './signature.ts'

/** What the guide allows, and a second for the way. */
const leewayMs = 31_000

interface WebhookPromisesParts {
  readonly break: Break
  /** The key of the platform that the configuration names. */
  readonly platformKey: () => PlatformKey
  /** The platform's own clock. */
  readonly platformMs: () => number
  /** Whether nothing has made the agent's idea of that clock wrong. */
  readonly isClockRight: () => boolean
}

/** An agent acts only on webhooks that the platform has signed, and not on old ones. */
export class WebhookPromises {
  readonly #parts: WebhookPromisesParts

  constructor(parts: WebhookPromisesParts) {
    this.#parts = parts
  }

  onAcknowledged(_event: string, _transactionId: number, { rawHeaders, body, arrivedMs }: ReceivedWebhook): void {
    const { platformKey, platformMs, isClockRight } = this.#parts
    const header = parseSignature(rawHeaders)
    const [segment = '', sum] = (signatureOf(rawHeaders) ?? '').split('..')
    const { kid, sinceMs, before } = platformKey()
    // A webhook keeps the keys that it began with.
    const isKnown = header?.kid === kid || (arrivedMs < sinceMs && header?.kid === before)
    const isValid = isKnown && sum === sumOf(`${segment}.${Buffer.from(body).toString('base64url')}`)
    const isLive = !isClockRight() || (header?.exp ?? 0) * 1_000 + leewayMs > platformMs()
    if (!isValid || !isLive)
      this.#parts.break('a webhook is accepted only with a valid signature', JSON.stringify(header))
  }
}
