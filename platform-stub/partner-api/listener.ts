import type { IncomingMessage, ServerResponse } from 'node:http'
import { httpDate } from '../clock/iso.ts'
import { answerPartner, type PartnerParts } from './answer.ts'

/**
 * The partner routes on Node's own server, everything below `/v1`. The framework that serves control routes and pages
 * would cost a quarter of what a verified request costs.
 */
export function partnerListener(parts: PartnerParts) {
  return async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { status, headers, body, ending } = await answerPartner(incoming, parts)
    if (ending === 'dropped') return void incoming.socket.destroy()
    const mustClose = !incoming.complete
    response.writeHead(status, {
      ...(body && { 'Content-Type': 'application/json; charset=utf-8' }),
      'Content-Length': Buffer.byteLength(body),
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
