import type { RetryClass } from '../../contract/operations.ts'

/**
 * What follows a fault.
 *
 * - `retry`: another attempt, within deadline and budget.
 * - `retry-once`: one fresh attempt.
 * - `refuse`: the call ends; nothing was done.
 * - `doubt`: the call ends; the platform may have acted.
 */
export type Verdict = 'retry' | 'retry-once' | 'refuse' | 'doubt'

/** Everything that is known about a fault. */
export interface FaultRow extends Readonly<Record<RetryClass, Verdict>> {
  /** The platform may have acted, or may still act. */
  readonly mayHaveActed: boolean
  /** The request may still reach the platform, for as long as its envelope lives. */
  readonly mayStillArrive: boolean
  /** The refusal is stored under the id of its call. An answer in doubt of a `once` call is always stored. */
  readonly isStored: boolean
  /** A `Retry-After` says when to try again. @see RFC 9110 section 10.2.3 */
  readonly hasRetryAfter: boolean
}

const acted = { mayHaveActed: true, mayStillArrive: false, isStored: false, hasRetryAfter: false } as const
const notDone = { mayHaveActed: false, mayStillArrive: false, isStored: false, hasRetryAfter: false } as const

/**
 * Every fault that an attempt can have, a row each. A `once` call is repeated only where it is proven that nothing was
 * done. A success that cannot be read is not repeated even for `idempotent`, because nothing says it would read better.
 */
export const faultTable = {
  /** Proven: no byte of the request left. */
  'not-sent': { ...notDone, once: 'retry', idempotent: 'retry', safe: 'retry' },
  /** Bytes may have left, and no whole answer came back. */
  'no-answer': { ...acted, mayStillArrive: true, once: 'doubt', idempotent: 'retry', safe: 'retry' },
  /** A success that is not the contract's. */
  'off-contract': { ...acted, once: 'doubt', idempotent: 'doubt', safe: 'refuse' },
  /** 3xx */
  redirect: { ...notDone, once: 'refuse', idempotent: 'refuse', safe: 'refuse' },
  /** Every 4xx without a row of its own */
  rejected: { ...notDone, isStored: true, once: 'refuse', idempotent: 'refuse', safe: 'refuse' },
  /** 401 */
  unauthorized: { ...notDone, once: 'refuse', idempotent: 'retry-once', safe: 'retry-once' },
  /** 408 */
  'request-timeout': { ...acted, once: 'doubt', idempotent: 'retry', safe: 'retry' },
  /** 425 */
  'too-early': { ...notDone, once: 'retry', idempotent: 'retry', safe: 'retry' },
  /** 429 */
  throttled: { ...notDone, hasRetryAfter: true, once: 'retry', idempotent: 'retry', safe: 'retry' },
  /** Every 5xx without a row of its own */
  'server-error': { ...acted, once: 'doubt', idempotent: 'retry', safe: 'retry' },
  /** 502 and 504: a gateway gave up on the platform. */
  gateway: { ...acted, mayStillArrive: true, once: 'doubt', idempotent: 'retry', safe: 'retry' },
  /** 503 */
  unavailable: { ...acted, hasRetryAfter: true, once: 'doubt', idempotent: 'retry', safe: 'retry' },
} as const satisfies Record<string, FaultRow>

/** What can go wrong with one attempt. */
export type Fault = keyof typeof faultTable

/** The fault of a status that is not 2xx. */
export function faultOfStatus(status: number): Fault {
  if (status >= 300 && status < 400) return 'redirect'
  return statusFaults[status] ?? (status >= 400 && status < 500 ? 'rejected' : 'server-error')
}

const statusFaults: Readonly<Record<number, Fault>> = {
  401: 'unauthorized',
  408: 'request-timeout',
  425: 'too-early',
  429: 'throttled',
  502: 'gateway',
  503: 'unavailable',
  504: 'gateway',
}
