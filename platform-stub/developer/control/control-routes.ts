import { Hono } from 'hono'
import { iso } from '../../clock/iso.ts'
import { clearFaults } from '../../faults/faults.ts'
import { orThrow, refuse } from '../../marketplace/refusal.ts'
import { clockRoutes } from './clock-routes.ts'
import type { ControlParts, StubEnv } from './control-parts.ts'
import { limitOf } from './control-request.ts'
import { partnerFaultRoutes, webhookFaultRoutes } from './fault-routes.ts'
import { gameServerRoutes } from './game-server-routes.ts'
import { controlObstacle } from './guard.ts'
import { listingRoutes, transactionRoutes } from './transaction-routes.ts'
import { webhookRoutes } from './webhook-routes.ts'

/**
 * The control routes: what a developer, a test or the console does to the platform. They exist in the stub alone.
 *
 * @param service Name and version, for `/health`.
 * @see docs/decisions/0009
 */
export function controlRoutes(parts: ControlParts, service: string): Hono<StubEnv> {
  const { platform, journal, faults, clock, schedule, emptyTables } = parts
  return new Hono<StubEnv>()
    .use('*', async (context, next) => {
      const obstacle = controlObstacle(context.env.incoming, platform.publicUrl())
      if (obstacle === 'CONTROL_FOREIGN_HOST' || obstacle === 'CONTROL_FOREIGN_ORIGIN') throw refuse(obstacle)
      await next()
    })
    .get('/health', (context) => context.json({ ok: true, service }))
    .route('/stub/game-servers', gameServerRoutes(parts))
    .route('/stub/platform-key', platformKeyRoutes(parts))
    .route('/stub/transactions', transactionRoutes(parts))
    .route('/stub/listings', listingRoutes(parts))
    .route('/stub/webhooks', webhookRoutes(parts))
    .route('/stub/clock', clockRoutes(parts))
    .route('/stub/faults', partnerFaultRoutes(parts))
    .route('/stub/webhook-faults', webhookFaultRoutes(parts))
    .get('/stub/requests', (context) => {
      const entries = journal.newest(limitOf(context))
      return context.json({ data: entries.map(({ atMs, ...entry }) => ({ at: iso(atMs), ...entry })) })
    })
    .post('/stub/reset', async (context) => {
      clearFaults(faults.partner)
      clearFaults(faults.webhook)
      await schedule.reset(() => {
        orThrow(
          platform.transact(() => {
            emptyTables()
            platform.tables.platform.setClockOffsetMs(0)
          }),
        )
        clock.runWithOffset(0)
        journal.clear()
      })
      return context.body(null, 200)
    })
}

/** The key that the platform signs its webhooks with, private half included: for those who forge them on purpose. */
function platformKeyRoutes({ platformKey }: ControlParts): Hono<StubEnv> {
  return new Hono<StubEnv>().get('/', async (context) => {
    const { kid, privateKeyPem, publicKeyPem } = await platformKey()
    return context.json({ data: { kid, privateKeyPem, publicKeyPem } })
  })
}
