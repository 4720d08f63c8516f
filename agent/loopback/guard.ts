import { timingSafeEqual } from 'node:crypto'
import { limits } from '../../contract/limits.ts'
import { type CallRefusal, refuse } from '../call/answer.ts'
import { headersOf, type RequestHead } from '../http/door.ts'

/** The routes of interface A, and one for the operator. */
const routes = {
  '/call': { method: 'POST', needsToken: true },
  /** For `market-agent orders`. */
  '/orders': { method: 'GET', needsToken: true },
  '/orders/all-worlds': { method: 'GET', needsToken: true },
  '/orders/check': { method: 'POST', needsToken: true },
  '/operations': { method: 'GET', needsToken: true },
  '/reload': { method: 'POST', needsToken: true },
  '/status': { method: 'GET', needsToken: true },
  '/metrics': { method: 'GET', needsToken: true },
  '/health': { method: 'GET', needsToken: false },
} as const
export type Route = keyof typeof routes

export type GuardVerdict = { readonly ok: true; readonly route: Route } | ({ readonly ok: false } & DoorRefusal)

/** A request that does not become a call. */
export interface DoorRefusal {
  readonly answer: CallRefusal
  /** In English, for the log. */
  readonly reason: string
  /** The method that the route has. */
  readonly allow?: string
}

/**
 * Decides only by the head whether a request may call, in one order, before the body is read. A web page in a browser
 * on this host reaches every loopback port. So a request that comes from a browser, or names another host, is refused,
 * and no CORS header is ever sent.
 *
 * @param token The agent's token; undefined if none is configured.
 */
export function guard(head: RequestHead, token: string | undefined): GuardVerdict {
  if (!Object.hasOwn(routes, head.target)) return turnAway(refuse('ROUTE_UNKNOWN'), 'unknown route')
  const route = head.target as Route
  const { method, needsToken } = routes[route]
  if (head.method !== method)
    return {
      ...turnAway(refuse('METHOD_NOT_ALLOWED', { allowed: method }), `the route takes ${method} only`),
      allow: method,
    }

  const headers = headersOf(head.rawHeaders)
  const [host, ...otherHosts] = headers.get('host') ?? []
  if (host === undefined || otherHosts.length > 0 || !loopbackHost.test(host))
    return turnAway(refuse('HOST_NOT_LOOPBACK'), 'Host is not loopback')
  if (headers.has('origin') || !(headers.get('sec-fetch-site') ?? []).every((site) => site === 'none')) {
    return turnAway(refuse('FROM_BROWSER'), 'sent by a browser')
  }

  const contentTypes = headers.get('content-type') ?? []
  if (contentTypes.length > 1 || !contentTypes.every((type) => jsonContentType.test(type)))
    return turnAway(refuse('CONTENT_TYPE_INVALID'), 'not declared as JSON')
  if (headers.has('content-encoding')) return turnAway(refuse('CONTENT_TYPE_INVALID'), 'not declared as JSON')
  if (!(headers.get('transfer-encoding') ?? []).every((coding) => /^chunked$/i.test(coding.trim())))
    return turnAway(refuse('TRANSFER_ENCODING_INVALID'), 'unknown Transfer-Encoding')
  const [length, ...otherLengths] = headers.get('content-length') ?? []
  if (otherLengths.length > 0 || (length !== undefined && !/^\d+$/.test(length)))
    return turnAway(refuse('LENGTH_INVALID'), 'Content-Length is not valid')
  if (Number(length ?? 0) > limits.bodyBytesMax) return turnAway(refuse('BODY_TOO_LARGE'), 'body too large')

  if (needsToken && token !== undefined && !hasToken(headers.get('authorization'), token))
    return turnAway(refuse('TOKEN_INVALID'), 'token missing or wrong')
  return { ok: true, route }
}

const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i
const jsonContentType = /^application\/json(?:\s*;\s*charset=(?:utf-8|"utf-8"))?\s*$/i

/** In constant time for tokens of the right length. */
function hasToken(authorization: readonly string[] | undefined, token: string): boolean {
  if (authorization?.length !== 1) return false
  const given = Buffer.from(/^Bearer +([!-~]*)$/i.exec(authorization[0] ?? '')?.[1] ?? '', 'utf8')
  const wanted = Buffer.from(token, 'utf8')
  return given.byteLength === wanted.byteLength && timingSafeEqual(given, wanted)
}

function turnAway(answer: CallRefusal, reason: string): GuardVerdict & { ok: false } {
  return { ok: false, answer, reason }
}
