import { Hono } from 'hono'
import type { StubEnv } from '../../http/framework.ts'
import { type HttpRequest, linesOf } from '../../http/http-request.ts'
import { controlObstacle } from '../../http/origin.ts'
import { refuse } from '../../marketplace/refusal.ts'
import { chooseLanguage, textsOf } from '../texts/language.ts'
import { consoleVersion, notFoundPage, showPage } from './console-page.ts'
import type { ConsolePage, ConsoleParts, PageRequest, SharedParts } from './console-parts.ts'
import { faultsPage } from './faults-page.ts'
import { firstSalePage } from './first-sale-page.ts'
import { gameServerPage, gameServersPage } from './game-server-pages.ts'
import { listingsPage } from './listings-page.ts'
import { overviewPage } from './overview-page.ts'
import { provisioningRoutes } from './provisioning.ts'
import { requestPage, requestsPage } from './requests-page.ts'
import { testEventPage } from './test-event-pages.ts'
import { transactionPage } from './transaction-page.ts'
import { transactionsPage } from './transactions-page.ts'
import { webhookPage } from './webhook-page.ts'
import { webhooksPage } from './webhooks-page.ts'

const pages: Readonly<Record<string, (parts: ConsoleParts, request: PageRequest) => ConsolePage>> = {
  '/': overviewPage,
  '/overview': overviewPage,
  '/first-sale': firstSalePage,
  '/transactions': transactionsPage,
  '/transactions/:id': transactionPage,
  '/listings': listingsPage,
  '/webhooks': webhooksPage,
  '/webhooks/:id': webhookPage,
  '/webhooks/tests/:id': testEventPage,
  '/requests': requestsPage,
  '/requests/:id': requestPage,
  '/game-servers': gameServersPage,
  '/game-servers/:id': gameServerPage,
  '/faults': faultsPage,
}

/** The developer's console. It reads the tables and acts only through the control routes. */
export function consoleRoutes(shared: SharedParts): Hono<StubEnv> {
  const routes = new Hono<StubEnv>()
    .use('*', async (context, next) => {
      refuseForeign(context.env.request, shared.developerUrl())
      await next()
    })
    .use('*', chooseLanguage)
    .get('/', (context, next) =>
      shared.queries.firstSale(shared.clock.nowMs()).isDelivered
        ? next()
        : context.redirect('/console/first-sale', 302),
    )
    .get('/changes', () => shared.changes.stream(() => consoleVersion(shared)))
  for (const [path, page] of Object.entries(pages)) {
    routes.get(path, (context) => {
      const parts = { ...shared, t: textsOf(context) }
      const { pathname, searchParams } = new URL(context.req.url)
      const request = { path: pathname, query: searchParams, id: context.req.param('id') ?? '' }
      return showPage(context, parts, page(parts, request))
    })
  }
  // Only a GET gets the page for unknown addresses. Other methods get the JSON answers 404 and 405.
  return routes.route('/game-servers', provisioningRoutes(shared)).use('*', async (context, next) => {
    if (context.req.method !== 'GET') return next()
    const t = textsOf(context)
    return showPage(context, { ...shared, t }, notFoundPage(t, t.layout.notFound))
  })
}

/**
 * Refuses a request that may not see the console. The rules are those of the control routes, except that a link on another
 * page may lead here: the person then sees the console, and that page sees nothing.
 *
 * @param developerUrl The address that the console listens on.
 * @throws {Refusal}
 */
function refuseForeign(request: HttpRequest, developerUrl: string): void {
  const obstacle = controlObstacle(request, developerUrl)
  const isFollowedLink =
    linesOf(request, 'origin').length === 0 &&
    linesOf(request, 'sec-fetch-mode').join() === 'navigate' &&
    linesOf(request, 'sec-fetch-dest').join() === 'document'
  if (obstacle && !(obstacle === 'CONTROL_FOREIGN_ORIGIN' && isFollowedLink)) throw refuse(obstacle)
}
