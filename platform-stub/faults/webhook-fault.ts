import * as z from 'zod/mini'
import type { ProtectedHeader } from '../../contract/envelope/protected-header.ts'
import { type WebhookEvent, webhookEvents } from '../../contract/events.ts'
import { limits } from '../../contract/limits.ts'
import { delayMs, times } from './fault-queue.ts'

/** The most copies that a fault may ask for. */
const faultCopiesMax = 100

const eventNames = Object.keys(webhookEvents) as WebhookEvent[]

/** Left out, the fault happens to either event. */
const shared = { event: z.optional(z.enum(eventNames)), times }

/**
 * What can go wrong with an attempt of a webhook delivery, as `POST /stub/webhook-faults` takes it.
 *
 * - `duplicate`: this many copies, with the same bytes and signature, arrive together with the attempt.
 * - `reorder`: a `transfer_order` is held back until the `transaction_terminal` of its transaction was acknowledged,
 *   and then sent once, although the transaction is over.
 * - `wrong-kid`, `expired`, `altered-body`: an envelope that a receiver has to refuse.
 * - `delay`: the attempt begins this much later, during a clock jump at most 2 s. It is signed then. It is not made if its
 *   delivery ended meanwhile.
 * - `drop-response`: the receiver has it and its answer is lost, so that it comes again.
 *
 * A broken attempt counts like any other: after a 2xx the delivery is over, after anything else it is repeated unbroken.
 *
 * @see docs/decisions/0018
 */
export const webhookFault = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('duplicate'),
    ...shared,
    copies: z._default(z.int().check(z.gte(1), z.lte(faultCopiesMax)), 1),
  }),
  z.strictObject({ kind: z.literal('reorder'), event: z.optional(z.literal('transfer_order')), times }),
  z.strictObject({ kind: z.enum(['wrong-kid', 'expired', 'altered-body', 'drop-response']), ...shared }),
  z.strictObject({ kind: z.literal('delay'), ...shared, delayMs }),
])
/** One of them, as it is set. */
export type WebhookFault = z.infer<typeof webhookFault>
/** What is wrong with an attempt. */
export type WebhookFaultKind = WebhookFault['kind']

/** Whether a fault is meant for an attempt of this event. */
export function fits(fault: WebhookFault, event: WebhookEvent): boolean {
  if (fault.kind === 'reorder') return event === 'transfer_order'
  return fault.event === undefined || fault.event === event
}

/** The header that a fault makes of a proper one; signed like any other. */
export function brokenHeader(kind: WebhookFaultKind | undefined, header: ProtectedHeader): ProtectedHeader {
  if (kind === 'wrong-kid') return { ...header, kid: `${header.kid}-unknown` }
  if (kind !== 'expired') return header
  // As long ago as it lives: no leeway of a receiver reaches that far.
  const ageS = 2 * limits.envelopeLifetimeS
  return { ...header, iat: header.iat - ageS, exp: header.exp - ageS }
}

/** The body that a fault sends in place of the one that was signed: it looks right, and names another item. */
export function brokenBody(kind: WebhookFaultKind | undefined, body: string): string {
  if (kind !== 'altered-body') return body
  const event = JSON.parse(body) as { readonly itemRef: string }
  return JSON.stringify({ ...event, itemRef: `${event.itemRef}-altered` })
}
