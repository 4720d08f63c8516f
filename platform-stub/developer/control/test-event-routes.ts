import { Hono } from 'hono'
import type { StubEnv } from '../../http/framework.ts'
import { positiveInteger } from '../../http/positive-integer.ts'
import { webhookUrlOf } from '../../marketplace/game-servers/register.ts'
import { orThrow, refuse } from '../../marketplace/refusal.ts'
import type { OneOffRow } from '../../store/one-off-rows.ts'
import { testEvent, testPayload, testTransactionIdAbove } from '../../webhooks/test-event.ts'
import type { ControlParts } from './control-parts.ts'
import { bodyOf, limitOf, textOrNull } from './control-request.ts'
import { sentStory } from './sent-story.ts'

/** Test events of a game server: signed like real ones, without a sale, sent once. The answer comes with the receiver's. */
export function testEventRoutes({ platform, directory, oneOffs }: ControlParts): Hono<StubEnv> {
  const serverOf = (id: string) => {
    const server = directory.byId(positiveInteger(id) ?? 0)
    if (!server) throw refuse('GAME_SERVER_UNKNOWN')
    return server
  }
  return new Hono<StubEnv>()
    .get('/:id/test-events', (context) => {
      const { id } = serverOf(context.req.param('id'))
      return context.json({ data: platform.tables.oneOffs.testEventsOf(id, limitOf(context)).map(oneOffStory) })
    })
    .post('/:id/test-events', async (context) => {
      const { id: gameServerId, webhookUrl: known } = serverOf(context.req.param('id'))
      const asked = await bodyOf(context, testEvent)
      const { event, transactionId, webhookUrl } = asked
      const min = testTransactionIdAbove
      if (transactionId !== undefined && transactionId <= min) throw refuse('TEST_TRANSACTION_INVALID', { min })
      const url = webhookUrl === undefined ? known : orThrow(webhookUrlOf(textOrNull(webhookUrl)))
      if (!url) throw refuse('WEBHOOK_URL_MISSING')
      const nowMs = platform.clock.nowMs()
      const payloadOf = (id: number) => testPayload(asked, transactionId ?? min + id, nowMs)
      const sent = orThrow(await oneOffs.send({ gameServerId, deliveryId: null, event, url, payloadOf }))
      return context.json({ data: oneOffStory(sent) })
    })
}

/** A webhook that was sent once, as the control routes show it. */
export function oneOffStory(sent: OneOffRow) {
  return { ...sentStory(sent), payload: JSON.parse(sent.payload) as unknown, body: sent.payload }
}
