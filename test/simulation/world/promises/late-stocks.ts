import type { AttemptResult } from '../../../../agent/platform/attempt-result.ts'
import { startOfRunMs } from '../../host-clock.ts'
import type { Day } from '../game/game-program.ts'
import type { ModelPlatform } from '../model-platform.ts'
import type { SentRequest } from '../witnessed.ts'
import { parseSignature } from './signature.ts'

/** A stock that left an agent. */
interface SentStock {
  readonly quantity: number
  readonly sentMs: number
  /** Until then the platform may take note of it. */
  readonly untilMs: number
}

/** How long the platform waits for the answer to a webhook. */
const webhookTimeoutMs = 10_000
/** How long the envelope of an attempt is valid. */
const lifetimeMs = 30_000
/** An agent that heard the platform only over a slow network knows its clock no better. */
const clockErrorMsMax = 10_500
/** Answers of the platform that do not say what became of the request. */
const unclear: ReadonlySet<number> = new Set([408, 425, 429])

/**
 * Which stocks left agents, and which of them may reach the platform late. A newer stock must be sent again when they cannot:
 * whether one of them is really late is chance, but that is a promise.
 */
export class LateStocks {
  readonly #platform: () => ModelPlatform
  readonly #nowMs: () => number
  /** By item: stocks about which nobody knows whether they have arrived. */
  readonly #unclear = new Map<string, Set<SentStock>>()
  /** By item and quantity, when it was sent last. */
  readonly #sentMs = new Map<string, number>()
  /** By item: stocks that were not refused, the newest one last. */
  readonly #notRefused = new Map<string, SentStock[]>()
  readonly #day: Day

  constructor(platform: () => ModelPlatform, day: Day, nowMs: () => number) {
    this.#platform = platform
    this.#day = day
    this.#nowMs = nowMs
  }

  /** @returns Called when the attempt has ended. */
  onSent(request: SentRequest): ((result: AttemptResult) => void) | undefined {
    const stock = this.#stockOf(request)
    if (!stock) return undefined
    const { itemRef, quantity } = stock
    const expiresMs = (parseSignature(request.headers)?.exp ?? 0) * 1_000 - startOfRunMs
    // An agent that believed a wrong date does not know for how long its envelopes are valid.
    const sentMs = this.#nowMs()
    const sent = { quantity, sentMs, untilMs: Math.min(expiresMs, sentMs + lifetimeMs) }
    this.#note(itemRef, sent)
    return (result) => {
      const isClear = result.kind === 'failed' ? !result.wasSent : result.status < 500 && !unclear.has(result.status)
      if (isClear) this.#unclear.get(itemRef)?.delete(sent)
      const isRefused = isClear && !(result.kind === 'answered' && result.status < 300)
      const notRefused = this.#notRefused.get(itemRef) ?? []
      if (isRefused)
        this.#notRefused.set(
          itemRef,
          notRefused.filter((each) => each !== sent),
        )
    }
  }

  /** A stock leaves with the answer to a webhook. */
  onAnswered(itemRef: string, quantity: number, arrivedMs: number): void {
    this.#note(itemRef, { quantity, sentMs: this.#nowMs(), untilMs: arrivedMs + webhookTimeoutMs })
  }

  /** What the platform must have if the game server does not say again what was refused; undefined: a fault decides it. */
  newestNotRefused(itemRef: string): number | undefined {
    const newest = this.#notRefused.get(itemRef)?.at(-1)
    return newest && newest.sentMs > this.#day.stormEndedMs ? newest.quantity : undefined
  }

  /** A stock that may have arrived after the newest one, which was not sent again; undefined if there is none. */
  findUnrepaired(itemRef: string, newest: number, beforeMs: number): string | undefined {
    const lastMs = this.#sentMs.get(`${itemRef} ${newest}`) ?? Number.NEGATIVE_INFINITY
    const { stormEndedMs } = this.#day
    // In the storm a platform or a proxy may have refused what was sent again.
    for (const { quantity, sentMs, untilMs } of this.#unclear.get(itemRef) ?? [])
      if (quantity !== newest && sentMs > stormEndedMs && untilMs < beforeMs && lastMs < untilMs - clockErrorMsMax)
        return `${quantity} until ${Math.round(untilMs)}, ${newest} at ${Math.round(lastMs)}`
    return undefined
  }

  #note(itemRef: string, sent: SentStock): void {
    const known = this.#unclear.get(itemRef) ?? new Set()
    this.#unclear.set(itemRef, known.add(sent))
    this.#sentMs.set(`${itemRef} ${sent.quantity}`, this.#nowMs())
    this.#notRefused.set(itemRef, [...(this.#notRefused.get(itemRef) ?? []), sent])
  }

  #stockOf({ path, body }: SentRequest): { readonly itemRef: string; readonly quantity: number } | undefined {
    const [, id] = /^\/v1\/api\/transactions\/(\d+)\/delivery-failure$/.exec(path) ?? []
    if (id === undefined && path !== '/v1/api/market/listings') return undefined
    const { itemRef, observedQuantity } = JSON.parse(body) as Readonly<Record<string, unknown>>
    if (typeof observedQuantity !== 'number') return undefined
    return {
      itemRef: id === undefined ? String(itemRef) : this.#platform().itemOf(Number(id)),
      quantity: observedQuantity,
    }
  }
}
