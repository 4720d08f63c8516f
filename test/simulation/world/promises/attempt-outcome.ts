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
  if (status < 300) return 'accepted'
  if (ofGateways.has(status)) return 'open'
  return status === requestTimeout || status >= 500 ? 'unclear' : 'refused'
}
