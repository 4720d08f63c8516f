import { TrieRouter } from 'hono/router/trie-router'
import * as z from 'zod/mini'
import type { PlatformOperation } from '../../contract/operations.ts'
import { type NamedOperation, platformOperations } from '../marketplace/platform-operations.ts'
import { Refusal, refuse } from '../marketplace/refusal.ts'

/** One method and path. The body fields that operations imply say which one of a shared route is meant. */
export interface Route {
  readonly method: string
  readonly operations: readonly NamedOperation[]
  /** All operations of a route are of one kind. */
  readonly auth: PlatformOperation['auth']
  /** Asked of a body before its operation is known; null where the route has one operation. */
  readonly implied: z.ZodMiniObject | null
}

/** Where a request leads. Values of path fields are as written, still percent-encoded. */
interface RouteMatch {
  readonly route: Route
  readonly fields: Readonly<Record<string, string>>
}

const router = new TrieRouter<Route>()
const methods = new Set<string>()
const routes = Map.groupBy(platformOperations, ({ operation: { method, path } }) => `${method} ${path}`)
for (const sharing of routes.values()) {
  const route = routeOf(sharing)
  router.add(route.method, route.path.replace(/\{(\w+)\}/g, ':$1'), route)
  methods.add(route.method)
}

/**
 * Finds the route of a request.
 *
 * @param path The request's target without query, as it was received.
 * @returns The route, or a 404 or 405.
 */
export function matchRoute(method: string, path: string): RouteMatch | Refusal {
  const [found] = router.match(method, path)[0]
  if (found) return { route: found[0], fields: found[1] as Readonly<Record<string, string>> }
  const allowed = [...methods].filter((candidate) => router.match(candidate, path)[0].length > 0).join(', ')
  if (!allowed) return refuse('ROUTE_UNKNOWN')
  const { code, status, message } = refuse('METHOD_NOT_ALLOWED', { allowed })
  return new Refusal(code, status, message, { Allow: allowed })
}

function routeOf(sharing: readonly NamedOperation[]): Route & { readonly path: string } {
  const [first] = sharing
  if (!first) throw new Error('a route without operations')
  const { method, path, auth } = first.operation
  if (sharing.some(({ operation }) => operation.auth !== auth)) {
    throw new Error(`operations of ${method} ${path} differ in auth`)
  }
  return { method, path, operations: sharing, auth, implied: impliedOf(sharing) }
}

function impliedOf(sharing: readonly NamedOperation[]): z.ZodMiniObject | null {
  if (sharing.length === 1) return null
  const fields = new Set(sharing.flatMap(({ operation }) => Object.keys(operation.implied)))
  return z.looseObject(
    Object.fromEntries(
      [...fields].map((field) => [
        field,
        z.enum(sharing.flatMap(({ operation }) => operation.implied[field] ?? []) as [string, ...string[]]),
      ]),
    ),
  )
}
