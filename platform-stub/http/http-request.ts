import type { IncomingMessage } from 'node:http'
import { limits } from '../../contract/limits.ts'
import { type Refusal, refuse } from '../marketplace/refusal.ts'

/** Every line of each header, by its name in small letters. A header that comes twice has two lines. */
export type HeaderLines = ReadonlyMap<string, readonly string[]>

/** A request as it was received, before anything in it is believed. */
export interface HttpRequest {
  readonly method: string
  /** The target as it was written, without its query. */
  readonly path: string
  /** The query as it was written, without its question mark; empty where there is none. */
  readonly query: string
  readonly headers: HeaderLines
  /** The other end of the connection; empty once it is gone. */
  readonly remoteAddress: string
  /**
   * Reads the body, once.
   *
   * @returns Its bytes; BODY_TOO_LARGE beyond `limits.bodyBytesMax`; BODY_CUT when the connection ends before the body.
   */
  readonly body: () => Promise<Buffer | Refusal>
}

/** What was received, as a value that no name in it can surprise. */
export function readRequest(incoming: IncomingMessage): HttpRequest {
  const { method = '', url = '', rawHeaders, socket } = incoming
  const headers = headerLines(rawHeaders)
  const queryAt = url.indexOf('?')
  return {
    method,
    path: queryAt < 0 ? url : url.slice(0, queryAt),
    query: queryAt < 0 ? '' : url.slice(queryAt + 1),
    headers,
    remoteAddress: socket.remoteAddress ?? '',
    body: () => (hasBody(headers) ? readBody(incoming, declaredLength(headers)) : Promise.resolve(noBody)),
  }
}

/** The lines of a header; none where it was not sent. @param name In small letters. */
export function linesOf({ headers }: HttpRequest, name: string): readonly string[] {
  return headers.get(name) ?? []
}

/** Whether a request has a body at all. Most GETs have none, and waiting for its end costs a turn. */
export function hasBody(headers: HeaderLines): boolean {
  return headers.has('transfer-encoding') || declaredLength(headers) > 0
}

const noBody = Buffer.alloc(0)

/** A body over the limit is read and dropped up to here, so that its sender reads the refusal. */
const bodyBytesDroppedMax = 1_048_576

/** Node's parser has refused a second length, and one that is not a number. */
function declaredLength(headers: HeaderLines): number {
  return Number(headers.get('content-length')?.[0] ?? 0)
}

/** A `Map`, because a stranger chooses the names: in an object, `constructor` exists before it is sent. */
function headerLines(rawHeaders: readonly string[]): HeaderLines {
  const headers = new Map<string, string[]>()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase()
    const line = rawHeaders[at + 1] ?? ''
    const lines = headers.get(name)
    if (lines) lines.push(line)
    else headers.set(name, [line])
  }
  return headers
}

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
