import { Hono } from 'hono'
import * as z from 'zod/mini'
import type { Clock } from '../../clock/clock.ts'
import { withIsoTimes } from '../../clock/iso.ts'
import type { StubEnv } from '../../http/framework.ts'
import { positiveInteger } from '../../http/positive-integer.ts'
import { webhookUrlOf } from '../../marketplace/game-servers/register.ts'
import type { Platform } from '../../marketplace/platform.ts'
import { orThrow, refuse } from '../../marketplace/refusal.ts'
import type { Tables } from '../../store/tables.ts'
import type { WebhookAttemptRow, WebhookDeliveryRow } from '../../store/webhook-rows.ts'
import type { ControlParts } from './control-parts.ts'
import { bodyOf, limitIn, queryOf, textOrNull } from './control-request.ts'
import { sentStory } from './sent-story.ts'
import { oneOffStory } from './test-event-routes.ts'

/** Attempts that a list gives with each delivery; the console shows all, page by page. */
const attemptsListedMax = 20

/** How long a webhook that is sent again is waited for: an attempt has 10 s, but a fault may put it off by an hour. */
const resendWaitMs = 11_000

const resending = z.strictObject({ webhookUrl: z.optional(z.unknown()) })

/**
 * Webhook deliveries with their newest attempts, and sending one again: as the next attempt, or once to another address.
 * The answer comes with the receiver's.
 */
export function webhookRoutes({ platform, schedule, oneOffs }: ControlParts): Hono<StubEnv> {
  const { webhooks } = platform.tables
  return new Hono<StubEnv>()
    .get('/', (context) => {
      const query = queryOf(context, ['limit', 'transactionId'])
      const count = limitIn(query)
      const asked = query.get('transactionId')
      if (asked === undefined)
        return context.json({ data: webhooks.newest(count).map((row) => deliveryStory(platform, row)) })
      const transactionId = positiveInteger(asked)
      if (transactionId === undefined) throw refuse('TRANSACTION_ID_INVALID')
      return context.json({ data: webhooks.newestOf(transactionId, count).map((row) => deliveryStory(platform, row)) })
    })
    .post('/:id/resend', async (context) => {
      const { webhookUrl } = await bodyOf(context, resending)
      const delivery = webhooks.byId(positiveInteger(context.req.param('id')) ?? 0)
      if (!delivery) throw refuse('WEBHOOK_DELIVERY_UNKNOWN')
      const { id, gameServerId, event, payload } = delivery
      if (webhookUrl === undefined) {
        orThrow(platform.transact(() => makeDue(platform, delivery)))
        await withinMs(resendWaitMs, schedule.settleOne(id), platform.clock)
      } else {
        const url = orThrow(webhookUrlOf(textOrNull(webhookUrl)))
        if (!url) throw refuse('WEBHOOK_URL_INVALID')
        orThrow(await oneOffs.send({ gameServerId, deliveryId: id, event, url, payloadOf: () => payload }))
      }
      const sent = webhooks.byId(id)
      if (!sent) throw refuse('RESET_MEANWHILE')
      return context.json({ data: deliveryStory(platform, sent) })
    })
}

/** Resolves when `work` has ended or when the time is up. */
async function withinMs(timeMs: number, work: Promise<void>, clock: Clock): Promise<void> {
  const { promise: timeUp, resolve } = Promise.withResolvers<void>()
  const cancel = clock.after(timeMs, resolve)
  await Promise.race([work, timeUp])
  cancel()
}

/** Makes a delivery due now, whatever became of it before. */
function makeDue({ tables, clock }: Platform, { id, attempts }: WebhookDeliveryRow): void {
  tables.webhooks.reschedule(id, attempts, clock.nowMs())
}

function deliveryStory({ tables }: Platform, delivery: WebhookDeliveryRow) {
  return {
    ...withIsoTimes(delivery),
    isHeld: delivery.isHeld === 1,
    payload: JSON.parse(delivery.payload) as unknown,
    body: delivery.payload,
    attemptCount: tables.webhooks.attemptCount(delivery.id),
    attempts: newestAttempts(tables, delivery).map(({ deliveryId: _, ...attempt }) => sentStory(attempt)),
    sentElsewhere: tables.oneOffs.ofDelivery(delivery.id, attemptsListedMax).map(oneOffStory),
  }
}

/** In the order in which they were made. */
function newestAttempts({ webhooks }: Tables, { id }: WebhookDeliveryRow): WebhookAttemptRow[] {
  return webhooks.newestAttempts(id, null, attemptsListedMax).reverse()
}
