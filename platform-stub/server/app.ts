import type { DatabaseSync } from 'node:sqlite'
import { Hono } from 'hono'
import { TrieRouter } from 'hono/router/trie-router'
import type { ControlParts } from '../developer/control/control-parts.ts'
import { controlRoutes } from '../developer/control/control-routes.ts'
import type { StubEnv } from '../http/framework.ts'
import { Refusal, refuse } from '../marketplace/refusal.ts'
import { openApiRoutes } from '../openapi/openapi-routes.ts'
import { assetRoutes } from '../pages/assets.ts'
import { checkoutRoutes } from '../pages/checkout/checkout-routes.ts'
import type { SharedParts } from '../pages/console/console-parts.ts'
import { consoleRoutes } from '../pages/console/console-routes.ts'
import { lazily } from '../pages/lazily.ts'
import { portalRoutes } from '../pages/portal/portal-routes.ts'
import { consoleQueries } from '../store/console-queries.ts'

/** Everything that routes other than partner routes can reach. */
export interface AppParts extends Omit<SharedParts, 'queries'>, ControlParts {
  readonly database: DatabaseSync
}

/** For whom an app is: `public` for buyers and players, `developer` for this machine, `both` where one port serves all. */
export type Audience = 'public' | 'developer' | 'both'

/**
 * Everything that is not a partner route: pages, the OpenAPI document, control routes.
 *
 * @param service Name and version, for `/health`.
 */
export function makeApp({ database, ...shared }: AppParts, audience: Audience, service: string): Hono<StubEnv> {
  const parts = { ...shared, queries: consoleQueries(database) }
  const { platform } = parts
  const app = new Hono<StubEnv>()
  app.use('*', async (context, next) => {
    await next()
    // Some of what control routes change is in no table: faults, webhook addresses.
    if (context.req.method !== 'GET') parts.changes.note()
  })
  const allowedMethods = lazily(() => allowedMethodsOf(app))
  app.notFound((context) => {
    const allowed = allowedMethods()(context.req.path).join(', ')
    if (!allowed) return context.json({ message: refuse('ROUTE_UNKNOWN').message }, 404)
    return context.json({ message: refuse('METHOD_NOT_ALLOWED', { allowed }).message }, 405, { Allow: allowed })
  })
  app.onError((error, context) => {
    if (!(error instanceof Refusal)) platform.log.error({ err: error }, 'request failed')
    const { message, status } = error instanceof Refusal ? error : refuse('INTERNAL')
    return context.json({ message }, status as 400)
  })
  app.get('/health', (context) => context.json({ ok: true, service }))
  app.route('/assets', assetRoutes())
  if (audience !== 'developer') {
    app.route('/checkout', checkoutRoutes(parts))
    app.route('/portal', portalRoutes(parts))
  }
  if (audience !== 'public') {
    app.get('/', (context) => context.redirect('/console', 302))
    app.route('/console', consoleRoutes(parts))
    app.route('/', openApiRoutes(platform))
    app.route('/stub', controlRoutes(parts))
  }
  return app
}

/**
 * Tells which methods an app's routes take at a path; none where no route leads. A guard of all routes is not a route.
 */
function allowedMethodsOf(app: Hono<StubEnv>): (path: string) => string[] {
  const router = new TrieRouter<string>()
  const methods = new Set<string>()
  for (const { method, path } of app.routes) {
    if (method === 'ALL') continue
    router.add(method, path, method)
    methods.add(method)
  }
  return (path) => [...methods].filter((method) => router.match(method, path)[0].length > 0)
}
