import type { AttemptResult } from '../../../../agent/platform/attempt-result.ts'

/** What an attempt has done. `open`: it may arrive late. `unclear`: it has arrived, or never will. */
export type AttemptOutcome = 'open' | 'unclear' | 'accepted' | 'refused'

/** With these a gateway gives up, although the request may still arrive. */
const ofGateways: ReadonlySet<number> = new Set([502, 504])
const requestTimeout = 408

/** What the end of an attempt shows about its effect. */
export function outcomeOf(result: AttemptResult): AttemptOutcome {
  if (result.kind === 'failed') return result.wasSent ? 'open' : 'refused'
  const { status } = result
  if (status < 300) return isOfPlatform(result.body) ? 'accepted' : 'unclear'
  if (ofGateways.has(status)) return 'open'
  return status === requestTimeout || status >= 500 ? 'unclear' : 'refused'
}

/** Whether an accepting answer is the platform's own. A page of a proxy and half of an answer are not. */
export function isOfPlatform(body: Uint8Array): boolean {
  return body.byteLength === 0 || /^\{"data".*\}$/s.test(Buffer.from(body).toString())
}

/** Refusals of an attempt, and not of its input. */
export const ofAttempts: ReadonlySet<number> = new Set([401, 408, 425, 429])

/** Whether the platform itself refused the input. An intermediary answers with a page. */
export function isRefusedForGood(result: AttemptResult): boolean {
  if (result.kind !== 'answered' || result.status < 400 || result.status >= 500) return false
  return !ofAttempts.has(result.status) && isRefusalOfPlatform(result.body)
}

/** Whether a refusing answer is the platform's own. */
export function isRefusalOfPlatform(body: Uint8Array): boolean {
  return /^\{.*"message":/s.test(Buffer.from(body).toString())
}
