import type { IncomingMessage } from 'node:http'
import type { RefusalCode } from '../../marketplace/messages.ts'

const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Whether a form or script of another page may have sent the request: one of another origin, or one that reached the
 * stub by a name that is not its own, which may have been bent to this address. A request without `Origin` comes from no
 * page.
 *
 * @param publicUrl The stub's own address; beside it only the loopback's names are its own.
 */
export function isForeignPage(incoming: IncomingMessage, publicUrl: string): boolean {
  const { origin, 'sec-fetch-site': site } = incoming.headers
  if (!isOwnHost(incoming, publicUrl)) return true
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true
  if (origin === undefined) return false
  // Opened by a name of the loopback, the page is of that name: the one which this request reached the stub by.
  return origin !== new URL(publicUrl).origin && origin !== hostOf(incoming)?.origin
}

/**
 * Whether the request came through a proxy that says so. Then its sender may be on any machine, although the connection
 * comes from this one.
 */
function isForwarded({ headers }: IncomingMessage): boolean {
  return Object.keys(headers).some((name) => name === 'forwarded' || name.startsWith('x-forwarded-'))
}

/** Whether the request names the stub by its public address or by a name of the loopback. */
function isOwnHost(incoming: IncomingMessage, publicUrl: string): boolean {
  const host = hostOf(incoming)
  return host !== undefined && (loopbackNames.has(host.hostname) || host.host === new URL(publicUrl).host)
}

/** The one `Host` of a request as an http origin; undefined for none, several, or one that is no host. */
function hostOf({ rawHeaders }: IncomingMessage): URL | undefined {
  const hosts = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === 'host')
  const [host = ''] = hosts
  if (hosts.length !== 1 || !/^[\w.:[\]-]+$/.test(host)) return undefined
  return URL.parse(`http://${host}`) ?? undefined
}

/**
 * Why a request may not use the control routes; undefined when it may. They act without credentials, so they answer on
 * the loopback alone, under a loopback name or the address they listen on (another name could have been pointed at this
 * machine), and to no page of another origin. A proxy that adds no header looks like a program on this machine:
 * behind one they have a listener of their own.
 *
 * @param developerUrl The address that the control routes listen on.
 * @see docs/decisions/0048
 */
export function controlObstacle(
  incoming: IncomingMessage,
  developerUrl: string,
): Extract<RefusalCode, `CONTROL_${string}`> | undefined {
  const { remoteAddress = '' } = incoming.socket
  if (!isLoopback(remoteAddress) || isForwarded(incoming)) return 'CONTROL_FOREIGN_HOST'
  if (!isOwnHost(incoming, developerUrl)) return 'CONTROL_FOREIGN_HOST'
  return isForeignPage(incoming, developerUrl) ? 'CONTROL_FOREIGN_ORIGIN' : undefined
}

/** Whether an address, or the name of a host, leads to this machine alone. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^(::ffff:)?127\./.test(host)
}
