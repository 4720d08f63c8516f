import { Hono } from 'hono'
import { eventStreamHeaders } from '../pages/changes.ts'
import type { StubEnv } from '../web/environment.ts'
import { faultsPage } from './faults.ts'
import { gameServerPage } from './game-server.ts'
import { gameServersPage } from './game-servers.ts'
import { consoleObstacle } from './guard.ts'
import { consoleVersion } from './layout.ts'
import { listingsPage } from './listings.ts'
import { noSuchPage } from './no-such-page.ts'
import { overviewPage } from './overview.ts'
import type { ConsoleParts } from './parts.ts'
import { provisioningRoutes } from './provisioning.ts'
import { requestsPage } from './requests.ts'
import { transactionPage } from './transaction.ts'
import { transactionsPage } from './transactions.ts'
import { webhookPage } from './webhook.ts'
import { webhooksPage } from './webhooks.ts'

/** The developer's console. It reads here and acts through the control routes, so it can do nothing that they cannot. */
export function consoleRoutes(parts: ConsoleParts): Hono<StubEnv> {
  return new Hono<StubEnv>()
    .use('*', async (context, next) => {
      const obstacle = consoleObstacle(context.env.incoming, parts.platform.publicUrl())
      if (obstacle) throw obstacle
      await next()
    })
    .get('/', (context) => overviewPage(context, parts))
    .get('/changes', (context) =>
      context.body(
        parts.changes.stream(() => consoleVersion(parts)),
        200,
        eventStreamHeaders,
      ),
    )
    .get('/transactions', (context) => transactionsPage(context, parts))
    .get('/transactions/:id', (context) => transactionPage(context, parts))
    .get('/listings', (context) => listingsPage(context, parts))
    .get('/webhooks', (context) => webhooksPage(context, parts))
    .get('/webhooks/:id', (context) => webhookPage(context, parts))
    .get('/requests', (context) => requestsPage(context, parts))
    .get('/game-servers', (context) => gameServersPage(context, parts))
    .get('/game-servers/:id', (context) => gameServerPage(context, parts))
    .get('/faults', (context) => faultsPage(context, parts))
    .route('/game-servers', provisioningRoutes(parts))
    .use('*', async (context, next) => (isReading(context.req.method) ? noSuchPage(context, parts) : next()))
}

/** Only a reader is shown a page of what there is not; what acts goes on to where 404 and 405 are told apart. */
function isReading(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}
