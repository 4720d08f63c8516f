import type { IncomingMessage } from 'node:http'
import { limits } from '../../contract/limits.ts'
import { type Refusal, refuse } from '../marketplace/refusal.ts'
import { type HttpRequest, requestOf } from './http-request.ts'

/** What a socket received. */
export function readRequest(incoming: IncomingMessage): HttpRequest {
  const { method = '', url = '', rawHeaders, socket } = incoming
  return requestOf({
    method,
    target: url,
    rawHeaders,
    remoteAddress: socket.remoteAddress ?? '',
    readBody: (declaredLength) => readBody(incoming, declaredLength),
  })
}

/** A body over the limit is read and dropped up to here, so that its sender reads the refusal. */
const bodyBytesDroppedMax = 1_048_576

function readBody(incoming: IncomingMessage, declared: number): Promise<Buffer | Refusal> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let length = 0
    const tooLarge = () => resolve(refuse('BODY_TOO_LARGE', { bytesMax: limits.bodyBytesMax }))
    if (declared > bodyBytesDroppedMax) return tooLarge()
    incoming.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= limits.bodyBytesMax) chunks.push(chunk)
      else if (length > bodyBytesDroppedMax) tooLarge()
    })
    incoming.on('end', () => {
      if (length > limits.bodyBytesMax) tooLarge()
      else resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, length))
    })
    incoming.on('error', () => resolve(refuse('BODY_CUT')))
    incoming.on('aborted', () => resolve(refuse('BODY_CUT')))
  })
}
