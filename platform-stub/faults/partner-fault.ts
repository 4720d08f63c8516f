import * as z from 'zod/mini'
import type { PlatformOperationName } from '../../contract/operations.ts'
import { platformOperationNames } from '../marketplace/platform-operations.ts'
import { delayMs, times } from './fault-queue.ts'

/** Left out, the fault happens to any operation. */
const shared = { operation: z.optional(z.enum(platformOperationNames)), times }

/**
 * What can go wrong with a partner's request, as `POST /stub/faults` takes it.
 *
 * - `status`: answered with this status in place of anything else, before credentials are looked at. Nothing acts, and
 *   the envelope is not used up.
 * - `delay`: the platform handles it this much later; then it is looked at as if it had just arrived.
 * - `hang-up-before`: the connection is dropped and nothing acts.
 * - `hang-up-after`: it is done whole, and the connection dropped in place of the answer.
 * - `truncate`: it is done whole, and the connection dropped in the middle of the answer.
 *
 * @see docs/decisions/0018
 */
export const partnerFault = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('status'),
    ...shared,
    status: z.int().check(z.gte(200), z.lte(599)),
    retryAfterSeconds: z.optional(z.int().check(z.gte(0))),
  }),
  z.strictObject({ kind: z.literal('delay'), ...shared, delayMs }),
  z.strictObject({ kind: z.enum(['hang-up-before', 'hang-up-after', 'truncate']), ...shared }),
])
/** One of them, as it is set. */
export type PartnerFault = z.infer<typeof partnerFault>

/** How much of an answer leaves. */
export type AnswerEnding = 'whole' | 'cut' | 'dropped'

/** What each fault leaves of the answer. */
export const answerEndings: Readonly<Record<PartnerFault['kind'], AnswerEnding>> = {
  status: 'whole',
  delay: 'whole',
  'hang-up-before': 'dropped',
  'hang-up-after': 'dropped',
  truncate: 'cut',
}

/** Whether a fault is meant for an operation; null for a request whose operation is not known. */
export function appliesTo({ operation }: PartnerFault, name: PlatformOperationName | null): boolean {
  return operation === undefined || operation === name
}
