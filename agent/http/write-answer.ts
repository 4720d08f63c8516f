import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import type { Answer } from './door.ts'
import { discardBody } from './read-body.ts'

const fixedHeaders = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'",
}

/**
 * @param isLast Whether the connection ends with this answer.
 * @returns Whether the whole answer has left.
 */
export async function writeAnswer(
  request: IncomingMessage,
  response: ServerResponse<IncomingMessage>,
  { status, text, contentType, allow }: Answer,
  isLast: () => boolean,
): Promise<boolean> {
  // The body may be there already, and only waits to be parsed.
  if (!request.complete) await setImmediate()
  if (response.destroyed) return false
  const { promise: closed, resolve: onClose } = Promise.withResolvers<void>()
  response.once('close', onClose)
  // An answer that still waits for earlier ones is not closed with its connection.
  request.socket.once('close', onClose)
  const isEarly = !request.complete
  response.writeHead(status, {
    ...fixedHeaders,
    ...(contentType !== undefined && { 'content-type': contentType }),
    'content-length': Buffer.byteLength(text),
    ...(allow !== undefined && { allow }),
    // The rest of an unread body would be parsed as the next request.
    ...((isEarly || isLast()) && { connection: 'close' }),
  })
  if (isEarly) {
    response.write(text, () => request.socket.end())
    await discardBody(request)
    response.end()
  } else {
    response.end(text)
  }
  await closed
  request.socket.off('close', onClose)
  return response.writableFinished
}

const malformedStatuses: Readonly<Record<string, readonly [number, string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
}

/**
 * Answers something that is not HTTP. Node's own answer has no body; this one is JSON like all others.
 *
 * @returns The status.
 */
export function refuseMalformed(
  error: NodeJS.ErrnoException,
  socket: Socket,
  textOf: (status: number) => string,
): number {
  const [status, reason] = malformedStatuses[error.code ?? ''] ?? [400, 'Bad Request']
  const text = textOf(status)
  const headers = Object.entries(fixedHeaders).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `HTTP/1.1 ${status} ${reason}\r\n${headers.join('')}connection: close\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n`
  socket.end(head + text)
  return status
}
