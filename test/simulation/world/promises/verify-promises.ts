import { isDeepStrictEqual } from 'node:util'
import { signatureHeaderName } from '../../../../contract/envelope/protected-header.ts'
import type { PlatformKey } from '../agent-program.ts'
import type { GameCall, Told } from '../game/call-agent.ts'
import type { Break } from './judge.ts'
import { isRepetition } from './repetition.ts'
import { readWebhook } from './signature.ts'
import { leewayMs } from './webhook-promises.ts'

interface VerifyPromisesParts {
  readonly break: Break
  /** The key of the platform that the agent's configuration names; undefined if several agents may answer. */
  readonly platformKey: (() => PlatformKey) | undefined
  /** The platform's own clock. */
  readonly platformMs: () => number
  /** Whether nothing has made the agent's idea of that clock wrong. */
  readonly isClockRight: () => boolean
  readonly nowMs: () => number
}

/** When a webhook was shown to the agent, by both clocks. */
interface Shown {
  readonly atMs: number
  readonly platformMs: number
}

/** A game server that shows a webhook to its agent hears whether the platform has signed it, and whether it is old. */
export class VerifyPromises {
  readonly #parts: VerifyPromisesParts
  readonly #shown = new WeakMap<GameCall, Shown>()

  constructor(parts: VerifyPromisesParts) {
    this.#parts = parts
  }

  onAsked(call: GameCall): void {
    const { nowMs, platformMs } = this.#parts
    if (call.operation === 'webhook.verify') this.#shown.set(call, { atMs: nowMs(), platformMs: platformMs() })
  }

  onTold(call: GameCall, { ok, data, code, text }: Told): void {
    const { platformKey, platformMs, isClockRight } = this.#parts
    const shown = this.#shown.get(call)
    const key = platformKey?.()
    if (!shown || !key || shown.atMs <= key.sinceMs || isRepetition(text)) return
    const { signature, body, bodyBase64 } = call.input
    const bytes = body === undefined ? Buffer.from(String(bodyBase64), 'base64') : Buffer.from(String(body))
    const rawHeaders = [signatureHeaderName, String(signature)]
    const { isSigned, expiresMs } = readWebhook({ rawHeaders, body: bytes, arrivedMs: shown.atMs }, key)
    const isTooOld = isClockRight() && expiresMs + leewayMs <= shown.platformMs
    if (ok && (!isSigned || isTooOld)) this.#parts.break('only a valid signature passes a check', text)
    if (ok && !isDeepStrictEqual(data['event'], JSON.parse(bytes.toString())))
      this.#parts.break('the check of a webhook tells its event', text)
    if (code === 'WEBHOOK_REFUSED' && isSigned && isClockRight() && expiresMs > platformMs())
      this.#parts.break('a valid signature passes a check', text)
  }
}
