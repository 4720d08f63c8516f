import type { IncomingMessage } from 'node:http'
import type { RefusalCode } from '../messages.ts'

const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Why a request may not use the control routes; undefined when it may. They act without credentials, so they answer on
 * the loopback alone, under a loopback name (a foreign name could have been bent to this address), and to no page of
 * another origin.
 *
 * @param publicUrl The stub's own address, which its console may be opened by.
 * @see docs/decisions/0009
 */
export function controlObstacle(incoming: IncomingMessage, publicUrl: string): RefusalCode | undefined {
  if (!isLoopback(incoming.socket.remoteAddress)) return 'CONTROL_FOREIGN_HOST'
  const host = hostOf(incoming)
  const own = new URL(publicUrl)
  if (!host || !(loopbackNames.has(host.hostname) || host.host === own.host)) return 'CONTROL_FOREIGN_HOST'
  return isForeignPage(incoming, publicUrl) ? 'CONTROL_FOREIGN_ORIGIN' : undefined
}

/** Whether a form or script of another origin sent the request. A request without `Origin` comes from no page. */
export function isForeignPage(incoming: IncomingMessage, publicUrl: string): boolean {
  const { origin, 'sec-fetch-site': site } = incoming.headers
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true
  if (origin === undefined) return false
  return origin !== new URL(publicUrl).origin && origin !== hostOf(incoming)?.origin
}

/** The one `Host` of a request as an http origin; undefined for none, several, or one that is no host. */
function hostOf({ rawHeaders }: IncomingMessage): URL | undefined {
  const hosts = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === 'host')
  const [host = ''] = hosts
  if (hosts.length !== 1 || !/^[\w.:[\]-]+$/.test(host)) return undefined
  return URL.parse(`http://${host}`) ?? undefined
}

function isLoopback(address: string | undefined): boolean {
  return address !== undefined && (address === '::1' || /^(::ffff:)?127\./.test(address))
}
