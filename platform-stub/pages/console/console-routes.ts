import { Hono } from 'hono'
import type { StubEnv } from '../../developer/control/control-parts.ts'
import { consoleObstacle } from './console-guard.ts'
import { consoleVersion } from './console-layout.ts'
import type { ConsoleParts } from './console-parts.ts'
import { faultsPage } from './faults-page.ts'
import { gameServerPage } from './game-server-page.ts'
import { gameServersPage } from './game-servers-page.ts'
import { listingsPage } from './listings-page.ts'
import { notFoundPage } from './not-found-page.ts'
import { overviewPage } from './overview-page.ts'
import { provisioningRoutes } from './provisioning.ts'
import { requestsPage } from './requests-page.ts'
import { transactionPage } from './transaction-page.ts'
import { transactionsPage } from './transactions-page.ts'
import { webhookPage } from './webhook-page.ts'
import { webhooksPage } from './webhooks-page.ts'

/** The developer's console. It reads the tables and acts only through the control routes. */
export function consoleRoutes(parts: ConsoleParts): Hono<StubEnv> {
  return new Hono<StubEnv>()
    .use('*', async (context, next) => {
      const obstacle = consoleObstacle(context.env.incoming, parts.developerUrl())
      if (obstacle) throw obstacle
      await next()
    })
    .get('/', (context) => overviewPage(context, parts))
    .get('/changes', (context) => parts.changes.stream(context, () => consoleVersion(parts)))
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
    .use('*', async (context, next) =>
      isReading(context.req.method) ? notFoundPage(context, parts, 'Page not found', null) : next(),
    )
}

/** Only a GET gets the page for unknown addresses. Other methods get the JSON answers 404 and 405. */
function isReading(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}
