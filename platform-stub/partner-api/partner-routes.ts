import * as z from 'zod/mini'
import type { PlatformOperation } from '../../contract/operations.ts'
import { type NamedOperation, platformOperations } from '../marketplace/platform-operations.ts'
import { Refusal, refuse } from '../marketplace/refusal.ts'

/** One method and path. Operations that share it are told apart by the body fields that they imply. */
export interface Route {
  readonly method: string
  readonly operations: readonly NamedOperation[]
  /** All operations of a route are of one kind. */
  readonly auth: PlatformOperation['auth']
  /** Asked of a body before its operation is known; null where the route has one operation. */
  readonly implied: z.ZodMiniObject | null
}

interface Path {
  /** Null matches any one segment. */
  readonly segments: readonly (string | null)[]
  readonly fields: readonly string[]
  readonly routes: readonly Route[]
}

/** Where a request leads. Values of path fields are as written, still percent-encoded. */
interface RouteMatch {
  readonly route: Route
  readonly fields: Readonly<Record<string, string>>
}

const paths = pathsOf()

/**
 * Finds the route of a request.
 *
 * @param path The request's target without query, as it was received.
 * @returns The route, or a 404 or 405.
 */
export function matchRoute(method: string, path: string): RouteMatch | Refusal {
  const segments = path.split('/')
  const found = paths.find((candidate) => isMatch(candidate, segments))
  if (!found) return refuse('ROUTE_UNKNOWN')
  const route = found.routes.find((candidate) => candidate.method === method)
  if (!route) {
    const allowed = found.routes.map((candidate) => candidate.method).join(', ')
    const { code, status, message } = refuse('METHOD_NOT_ALLOWED', { allowed })
    return new Refusal(code, status, message, { Allow: allowed })
  }
  const values = segments.filter((_, at) => found.segments[at] === null)
  return {
    route,
    fields: Object.fromEntries(found.fields.map((field, at) => [field, values[at] ?? ''])),
  }
}

function isMatch(path: Path, segments: readonly string[]): boolean {
  if (path.segments.length !== segments.length) return false
  return path.segments.every((expected, at) => (expected === null ? segments[at] !== '' : expected === segments[at]))
}

function pathsOf(): Path[] {
  const byPath = Map.groupBy(platformOperations, ({ operation }) => operation.path)
  return [...byPath].map(([path, members]) => ({
    segments: path.split('/').map((segment) => (segment.startsWith('{') ? null : segment)),
    fields: [...path.matchAll(/\{(\w+)\}/g)].map(([, field = '']) => field),
    routes: [...Map.groupBy(members, ({ operation }) => operation.method)].map(([method, sharing]) =>
      routeOf(method, sharing),
    ),
  }))
}

function routeOf(method: string, sharing: readonly NamedOperation[]): Route {
  const [first] = sharing
  if (!first) throw new Error(`no operation for ${method}`)
  if (sharing.some(({ operation }) => operation.auth !== first.operation.auth)) {
    throw new Error(`operations of ${method} ${first.operation.path} differ in auth`)
  }
  return { method, operations: sharing, auth: first.operation.auth, implied: impliedOf(sharing) }
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
