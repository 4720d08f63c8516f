import type { IncomingMessage, ServerResponse } from 'node:http'
import { httpDate } from '../clock/iso.ts'
import { answerPartner, type PartnerParts } from './answer.ts'

/** Statuses whose answer has no body, whatever a fault has to say; two of them speak of no length either. */
const bodyless: ReadonlySet<number> = new Set([204, 205, 304])
const lengthless: ReadonlySet<number> = new Set([204, 304])

/**
 * The partner routes on Node's own server, everything below `/v1`. The framework that serves control routes and pages
 * would cost a quarter of what a verified request costs.
 */
export function partnerListener(parts: PartnerParts) {
  return async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { status, headers, body: text, ending } = await answerPartner(incoming, parts)
    if (ending === 'dropped') return void incoming.socket.destroy()
    const mustClose = !incoming.complete
    const body = bodyless.has(status) ? '' : text
    // A list, name after name: what Node sends as it is, where an object is copied and each of its names asked for.
    const lines = [
      'Cache-Control',
      'no-store',
      'X-Content-Type-Options',
      'nosniff',
      'Date',
      httpDate(parts.platform.clock.nowMs()),
    ]
    if (body) lines.push('Content-Type', 'application/json; charset=utf-8')
    if (!lengthless.has(status)) lines.push('Content-Length', String(Buffer.byteLength(body)))
    for (const [name, value] of Object.entries(headers)) lines.push(name, value)
    if (mustClose) lines.push('Connection', 'close')
    response.writeHead(status, lines)
    if (ending === 'cut') cut(response, body)
    else response.end(body)
  }
}

/** Lets half of an answer leave, whose head promised all of it; of one without a body, half of the head. */
function cut(response: ServerResponse, body: string): void {
  const { socket } = response
  const drop = (): void => void socket?.destroy()
  if (body) response.write(Buffer.from(body).subarray(0, Math.ceil(Buffer.byteLength(body) / 2)), drop)
  else socket?.write('HTTP/1.1 200 OK\r\nContent-', drop)
}
