import { Hono } from 'hono'
import { iso } from '../../clock/iso.ts'
import type { StubEnv } from '../../http/framework.ts'
import { controlObstacle } from '../../http/origin.ts'
import { orThrow, refuse } from '../../marketplace/refusal.ts'
import { agentRoutes } from './agent-routes.ts'
import { clockRoutes } from './clock-routes.ts'
import type { ControlParts } from './control-parts.ts'
import { bodyOf, limitOf, noFields, noQuery } from './control-request.ts'
import { partnerFaultRoutes, webhookFaultRoutes } from './fault-routes.ts'
import { gameServerRoutes } from './game-server-routes.ts'
import { testEventRoutes } from './test-event-routes.ts'
import { listingRoutes, transactionRoutes } from './transaction-routes.ts'
import { webhookRoutes } from './webhook-routes.ts'

/**
 * The control routes: what a developer, a test or the console does to the platform. They exist only in the stub.
 * @see docs/decisions/0009
 */
export function controlRoutes(parts: ControlParts): Hono<StubEnv> {
  const { platform, journal, faults, clock, schedule, oneOffs, developerUrl, emptyTables } = parts
  return new Hono<StubEnv>()
    .use('*', async (context, next) => {
      const obstacle = controlObstacle(context.env.request, developerUrl())
      if (obstacle) throw refuse(obstacle)
      await next()
    })
    .route('/game-servers', gameServerRoutes(parts))
    .route('/game-servers', testEventRoutes(parts))
    .route('/agent', agentRoutes(parts))
    .route('/platform-key', platformKeyRoutes(parts))
    .route('/transactions', transactionRoutes(parts))
    .route('/listings', listingRoutes(parts))
    .route('/webhooks', webhookRoutes(parts))
    .route('/clock', clockRoutes(parts))
    .route('/faults', partnerFaultRoutes(parts))
    .route('/webhook-faults', webhookFaultRoutes(parts))
    .get('/requests', (context) => {
      const entries = journal.newest(limitOf(context))
      return context.json({ data: entries.map(({ atMs, ...entry }) => ({ at: iso(atMs), ...entry })) })
    })
    .post('/reset', async (context) => {
      await bodyOf(context, noFields)
      faults.partner.clear()
      faults.webhook.clear()
      await schedule.reset(() => {
        orThrow(
          platform.transact(() => {
            emptyTables()
            platform.tables.platform.setClockOffsetMs(0)
          }),
        )
        clock.runWithOffset(0)
        journal.clear()
        oneOffs.reset()
      })
      return context.body(null, 200)
    })
}

/** The key that the platform signs its webhooks with, private half included: for those who forge them on purpose. */
function platformKeyRoutes({ platformKey }: ControlParts): Hono<StubEnv> {
  return new Hono<StubEnv>().get('/', async (context) => {
    noQuery(context)
    const { kid, privateKeyPem, publicKeyPem } = await platformKey()
    return context.json({ data: { kid, privateKeyPem, publicKeyPem } })
  })
}
