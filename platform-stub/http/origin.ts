import type { RefusalCode } from '../marketplace/messages.ts'
import { type HttpRequest, linesOf } from './http-request.ts'

const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Whether a form or script of another page may have sent the request: one of another origin, or one that reached the
 * stub by a name that is not its own, which may have been bent to this address. A request without `Origin` comes from no
 * page.
 *
 * @param publicUrl The stub's own address; apart from it only the loopback's names are its own.
 */
export function isForeignPage(request: HttpRequest, publicUrl: string): boolean {
  if (!isOwnHost(request, publicUrl)) return true
  if (linesOf(request, 'sec-fetch-site').some((site) => site !== 'same-origin' && site !== 'none')) return true
  // Opened by a name of the loopback, the page is of that name: the one which this request reached the stub by.
  const own = [new URL(publicUrl).origin, hostOf(request)?.origin]
  return linesOf(request, 'origin').some((origin) => !own.includes(origin))
}

/**
 * Whether the request came through a proxy that says so. Then its sender may be on any machine, although the connection
 * comes from this one.
 */
function isForwarded({ headers }: HttpRequest): boolean {
  return headers.keys().some((name) => name === 'forwarded' || name.startsWith('x-forwarded-'))
}

/** Whether the request names the stub by its public address or by a name of the loopback. */
function isOwnHost(request: HttpRequest, publicUrl: string): boolean {
  const host = hostOf(request)
  return host !== undefined && (loopbackNames.has(host.hostname) || host.host === new URL(publicUrl).host)
}

/** The one `Host` of a request as an http origin; undefined for none, several, or one that is not a host. */
function hostOf(request: HttpRequest): URL | undefined {
  const [host = '', ...others] = linesOf(request, 'host')
  if (others.length > 0 || !/^[\w.:[\]-]+$/.test(host)) return undefined
  return URL.parse(`http://${host}`) ?? undefined
}

/**
 * Why a request may not use the control routes; undefined when it may. They act without credentials, so they answer only on
 * the loopback, under a loopback name or the address they listen on (another name could have been pointed at this
 * machine), and to no page of another origin. A proxy that adds no header looks like a program on this machine:
 * behind one they have a listener of their own.
 *
 * @param developerUrl The address that the control routes listen on.
 * @see docs/decisions/0048
 */
export function controlObstacle(
  request: HttpRequest,
  developerUrl: string,
): Extract<RefusalCode, `CONTROL_${string}`> | undefined {
  if (!isLoopback(request.remoteAddress) || isForwarded(request)) return 'CONTROL_FOREIGN_HOST'
  if (!isOwnHost(request, developerUrl)) return 'CONTROL_FOREIGN_HOST'
  return isForeignPage(request, developerUrl) ? 'CONTROL_FOREIGN_ORIGIN' : undefined
}

/** Whether an address, or the name of a host, belongs only to this machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^(::ffff:)?127\./.test(host)
}
