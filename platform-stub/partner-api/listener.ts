import type { IncomingMessage, ServerResponse } from 'node:http'
import { httpDate } from '../clock/iso.ts'
import { answerPartner, type PartnerParts } from './answer.ts'

/**
 * The partner routes on Node's own server, everything below `/v1`. The framework that serves control routes and pages
 * would cost a quarter of what a verified request costs.
 */
export function partnerListener(parts: PartnerParts) {
  return async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { status, headers, body } = await answerPartner(incoming, parts)
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
    response.end(body)
  }
}
