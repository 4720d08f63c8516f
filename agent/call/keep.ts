import { limits } from '../../contract/limits.ts'
import type { Operation, PlatformOperation } from '../../contract/operations.ts'
import { readStrictJson } from '../../contract/strict-json.ts'
import type { PlatformClock } from '../platform/platform-clock.ts'
import type { CallAnswer, CallSuccess } from './answer.ts'
import { faultOfStatus, faultTable } from './fault-table.ts'

/**
 * How long an answer is stored under its id, in ms; 0 for an answer that is not stored, so that the id may be tried again.
 *
 * Successes and refusals of the platform are stored, and every answer that leaves a `once` call in doubt, because an id
 * sends such a call at most once. A success that ends at a certain moment is stored until then at most.
 */
export function keepMs(operation: Operation, answer: CallAnswer, platformClock: PlatformClock): number {
  // One second less than the envelope lives, because its times are whole seconds.
  if (operation.kind === 'envelope') return answer.ok ? (limits.envelopeLifetimeS - 1) * 1000 : 0
  // The list of open orders changes, and the ledger gives the same answer about a taken order again.
  if (operation.kind === 'orders') return 0
  if (operation.kind === 'verify') return answer.ok ? limits.idempotencyWindowMs : 0
  if (answer.ok) return keepSuccessMs(operation, answer, platformClock)
  if (answer.uncertain) return operation.retry === 'once' ? limits.idempotencyWindowMs : 0
  return faultTable[faultOfStatus(answer.status)].isStored ? limits.idempotencyWindowMs : 0
}

function keepSuccessMs({ successUntil }: PlatformOperation, { dataText }: CallSuccess, clock: PlatformClock): number {
  if (successUntil === undefined) return limits.idempotencyWindowMs
  const reading = readStrictJson(dataText, { numbers: 'any' })
  const untilMs = reading.ok ? Date.parse(String(reading.object.value[successUntil])) : Number.NaN
  if (Number.isNaN(untilMs)) return limits.idempotencyWindowMs
  return Math.min(limits.idempotencyWindowMs, clock.msUntilAtLeast(untilMs))
}
