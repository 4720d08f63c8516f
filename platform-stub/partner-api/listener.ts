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
    response.writeHead(status, {
      ...(body && { 'Content-Type': 'application/json; charset=utf-8' }),
      ...(!lengthless.has(status) && { 'Content-Length': Buffer.byteLength(body) }),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      ...headers,
      ...(mustClose && { Connection: 'close' }),
      Date: httpDate(parts.platform.clock.nowMs()),
    })
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
