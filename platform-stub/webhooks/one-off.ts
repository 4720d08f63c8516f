import { limits } from '../../contract/limits.ts'
import type { Platform } from '../marketplace/platform.ts'
import { type Refusal, refuse } from '../marketplace/refusal.ts'
import type { OneOffRow } from '../store/one-off-rows.ts'
import { outcomeFields } from './outcome.ts'
import type { WebhookSeal } from './webhook-attempt.ts'
import { type PostWebhook, sentHeaders } from './webhook-post.ts'

/** A webhook that is to be sent once. */
export interface OneOff extends Pick<OneOffRow, 'gameServerId' | 'deliveryId' | 'event' | 'url'> {
  /** @param id The number that the webhook has among those that are sent once. */
  readonly payloadOf: (id: number) => string
}

/** Sends webhooks once each, outside the queue. */
export type OneOffSender = ReturnType<typeof oneOffSender>

/** Makes what sends webhooks once: properly signed, whatever faults are set, and recorded with the answer. */
export function oneOffSender(platform: Platform, seal: WebhookSeal, postWebhook: PostWebhook) {
  const { tables, clock } = platform
  /** A reset puts another one in its place. */
  let breaker = new AbortController()
  let lastId = 0
  return {
    /** @returns What was recorded; or STORE_FULL or RESET_MEANWHILE, where it may have been sent all the same. */
    async send({ payloadOf, url, ...what }: OneOff): Promise<OneOffRow | Refusal> {
      const { signal } = breaker
      // Others may be under way, which are not recorded yet.
      const id = Math.max(lastId + 1, tables.oneOffs.nextId())
      lastId = id
      const payload = payloadOf(id)
      const at = clock.nowMs()
      const { header, signature } = await seal(payload, { at, name: `one-off:${id}` })
      const startedMs = clock.monotonicMs()
      const post = { url, body: payload, signature, timeoutMs: limits.webhookTimeoutMs, signal }
      const outcome = outcomeFields(await postWebhook(post))
      if (signal !== breaker.signal) return refuse('RESET_MEANWHILE')
      const durationMs = Math.round(clock.monotonicMs() - startedMs)
      const protectedHeader = JSON.stringify(header)
      const requestHeaders = JSON.stringify(sentHeaders(post))
      const sent = { ...what, id, payload, url, at, durationMs, signature, protectedHeader, requestHeaders, ...outcome }
      const stored = platform.transact(() => tables.oneOffs.insert(sent))
      if (!(stored instanceof Error)) platform.log.info(factsOf(sent), 'webhook sent once')
      return stored instanceof Error ? stored : sent
    },
    /** Breaks off what is under way and records none of it. */
    reset(): void {
      breaker.abort()
      breaker = new AbortController()
    },
    /** Breaks off what is under way. */
    end: () => breaker.abort('the stub was ended'),
  }
}

function factsOf({ id, gameServerId, deliveryId, event, durationMs, responseStatus, failure }: OneOffRow) {
  const result = failure === null ? { status: responseStatus } : { failure }
  return { oneOffId: id, event, gameServerId, ...(deliveryId !== null && { deliveryId }), durationMs, ...result }
}
