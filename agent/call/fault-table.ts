import type { RetryClass } from '../../contract/operations.ts'

/** What can go wrong with one attempt. */
export type Fault =
  /** Proven: no byte of the request left. */
  | 'not-sent'
  /** Bytes may have left, and no whole answer came back. */
  | 'no-answer'
  /** A success that is not the contract's. */
  | 'off-contract'
  | 'redirect'
  | 'rejected'
  | 'unauthorized'
  | 'request-timeout'
  | 'throttled'
  | 'server-error'
  | 'unavailable'

/**
 * What follows.
 *
 * - `retry`: another attempt, inside deadline and budget.
 * - `retry-once`: one fresh attempt.
 * - `refuse`: the call ends; nothing was done.
 * - `doubt`: the call ends; the platform may have acted.
 */
export type Verdict = 'retry' | 'retry-once' | 'refuse' | 'doubt'

/**
 * What each fault means for each retry class. A `once` call is repeated only where it is proven that nothing was done;
 * an answer that reads a success wrong may not be repeated even for `idempotent`, for nothing says it would read better.
 */
export const faultTable = {
  'not-sent': { once: 'retry', idempotent: 'retry', safe: 'retry' },
  'no-answer': { once: 'doubt', idempotent: 'retry', safe: 'retry' },
  'off-contract': { once: 'doubt', idempotent: 'doubt', safe: 'refuse' },
  redirect: { once: 'refuse', idempotent: 'refuse', safe: 'refuse' },
  rejected: { once: 'refuse', idempotent: 'refuse', safe: 'refuse' },
  unauthorized: { once: 'refuse', idempotent: 'retry-once', safe: 'retry-once' },
  'request-timeout': { once: 'doubt', idempotent: 'retry', safe: 'retry' },
  throttled: { once: 'retry', idempotent: 'retry', safe: 'retry' },
  'server-error': { once: 'doubt', idempotent: 'retry', safe: 'retry' },
  unavailable: { once: 'doubt', idempotent: 'retry', safe: 'retry' },
} as const satisfies Record<Fault, Record<RetryClass, Verdict>>

/** Faults after which the platform may have acted, or may still act. */
const doubtful: ReadonlySet<Fault> = new Set([
  'no-answer',
  'off-contract',
  'request-timeout',
  'server-error',
  'unavailable',
])

/** Whether an attempt that ended so may have changed something. */
export function mayHaveActed(fault: Fault, retryClass: RetryClass): boolean {
  return retryClass !== 'safe' && doubtful.has(fault)
}

/**
 * Whether the request may still reach the platform later: nobody answered it, or a gateway answered that it had given up
 * on the platform. It can act for as long as its envelope lives.
 */
export function mayStillArrive(fault: Fault, status: number | undefined): boolean {
  return fault === 'no-answer' || status === 502 || status === 504
}

/** The fault that a status other than 2xx stands for. */
export function faultOfStatus(status: number): Fault {
  if (status >= 300 && status < 400) return 'redirect'
  if (status === 401) return 'unauthorized'
  if (status === 408) return 'request-timeout'
  if (status === 425 || status === 429) return 'throttled'
  if (status >= 400 && status < 500) return 'rejected'
  if (status >= 502 && status <= 504) return 'unavailable'
  return 'server-error'
}
