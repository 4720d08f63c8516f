import type { IncomingMessage } from 'node:http'
import type { RefusalCode } from '../../partner-api/messages.ts'
import { isForeignPage, isForwarded, isOwnHost } from '../../server/origin.ts'

/**
 * Why a request may not use the control routes; undefined when it may. They act without credentials, so they answer on
 * the loopback alone and not through a proxy there, under a loopback name or the stub's own (a foreign name could have
 * been bent to this address), and to no page of another origin.
 *
 * @param publicUrl The stub's own address, which its console may be opened by.
 * @see docs/decisions/0009
 */
export function controlObstacle(incoming: IncomingMessage, publicUrl: string): RefusalCode | undefined {
  if (!isLoopback(incoming.socket.remoteAddress) || isForwarded(incoming)) return 'CONTROL_FOREIGN_HOST'
  if (!isOwnHost(incoming, publicUrl)) return 'CONTROL_FOREIGN_HOST'
  return isForeignPage(incoming, publicUrl) ? 'CONTROL_FOREIGN_ORIGIN' : undefined
}

function isLoopback(address: string | undefined): boolean {
  return address !== undefined && (address === '::1' || /^(::ffff:)?127\./.test(address))
}
