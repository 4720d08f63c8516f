import { Hono } from 'hono'
import { withIsoTimes } from '../../clock/iso.ts'
import type { Platform } from '../../marketplace/platform.ts'
import { orThrow, type Refusal, refuse } from '../../marketplace/refusal.ts'
import { stubLimits } from '../../store/stub-limits.ts'
import type { Tables } from '../../store/tables.ts'
import type { WebhookAttemptRow, WebhookDeliveryRow } from '../../store/webhook-rows.ts'
import type { ControlParts, StubEnv } from './control-parts.ts'
import { bodyOf, limitOf, noFields, positiveInteger } from './control-request.ts'

/** Webhook deliveries with their newest attempts, and sending one again. */
export function webhookRoutes({ platform }: ControlParts): Hono<StubEnv> {
  const { webhooks } = platform.tables
  return new Hono<StubEnv>()
    .get('/', (context) => {
      const count = limitOf(context)
      const asked = context.req.query('transactionId')
      if (asked === undefined)
        return context.json({ data: webhooks.newest(count).map((row) => deliveryStory(platform, row)) })
      const transactionId = positiveInteger(asked)
      if (transactionId === undefined) throw refuse('TRANSACTION_ID_INVALID')
      return context.json({ data: webhooks.newestOf(transactionId, count).map((row) => deliveryStory(platform, row)) })
    })
    .post('/:id/resend', async (context) => {
      await bodyOf(context, noFields)
      const id = positiveInteger(context.req.param('id')) ?? 0
      const delivery = orThrow(platform.transact(() => resend(platform, id)))
      return context.json({ data: deliveryStory(platform, delivery) })
    })
}

/** Makes a delivery due now, whatever became of it before. */
function resend({ tables, clock }: Platform, id: number): WebhookDeliveryRow | Refusal {
  const delivery = tables.webhooks.byId(id)
  if (!delivery) return refuse('WEBHOOK_DELIVERY_UNKNOWN')
  tables.webhooks.reschedule(id, delivery.attempts, clock.nowMs())
  return tables.webhooks.byId(id) ?? delivery
}

function deliveryStory({ tables }: Platform, delivery: WebhookDeliveryRow) {
  return {
    ...withIsoTimes(delivery),
    isHeld: delivery.isHeld === 1,
    payload: JSON.parse(delivery.payload) as unknown,
    body: delivery.payload,
    attemptCount: tables.webhooks.attemptCount(delivery.id),
    attempts: newestAttempts(tables, delivery).map(({ deliveryId: _, ...attempt }) => ({
      ...withIsoTimes(attempt),
      protectedHeader: JSON.parse(attempt.protectedHeader) as unknown,
    })),
  }
}

/** In the order in which they were made. */
function newestAttempts({ webhooks }: Tables, { id }: WebhookDeliveryRow): WebhookAttemptRow[] {
  return webhooks.newestAttempts(id, null, stubLimits.webhookAttemptsListedMax).reverse()
}
