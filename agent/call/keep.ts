import { limits } from '../../contract/limits.ts'
import type { Operation } from '../../contract/operations.ts'
import type { CallAnswer } from './answer.ts'

const notKept: ReadonlySet<number> = new Set([401, 408, 425, 429])

/**
 * How long an answer is given to equal ids, in ms; 0 for one that is not kept, so that the id may be tried again.
 *
 * Kept are successes, refusals of the platform, and whatever leaves a `once` call in doubt: an id sends such a call at
 * most once.
 */
export function keepMs(operation: Operation, answer: CallAnswer): number {
  // A second less than the envelope lives: its times are whole seconds.
  if (operation.kind === 'envelope') return answer.ok ? (limits.envelopeLifetimeS - 1) * 1000 : 0
  if (answer.ok) return limits.idempotencyWindowMs
  if (operation.kind === 'verify') return 0
  if (answer.uncertain) return operation.retry === 'once' ? limits.idempotencyWindowMs : 0
  const isBusinessRefusal = answer.status >= 400 && answer.status < 500 && !notKept.has(answer.status)
  return isBusinessRefusal ? limits.idempotencyWindowMs : 0
}
