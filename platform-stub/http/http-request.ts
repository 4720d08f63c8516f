import type { Refusal } from '../marketplace/refusal.ts'

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

/** A request in the form in which Node's parser, or a simulation, has it. */
interface ParsedRequest {
  readonly method: string
  readonly target: string
  /** Names and values in turn. */
  readonly rawHeaders: readonly string[]
  readonly remoteAddress: string
  /** Not called for a request that has no body. */
  readonly readBody: (declaredLength: number) => Promise<Buffer | Refusal>
}

/** What was received, as a value that no name in it can surprise. */
export function requestOf({ method, target, rawHeaders, remoteAddress, readBody }: ParsedRequest): HttpRequest {
  const headers = headerLines(rawHeaders)
  const queryAt = target.indexOf('?')
  return {
    method,
    path: queryAt < 0 ? target : target.slice(0, queryAt),
    query: queryAt < 0 ? '' : target.slice(queryAt + 1),
    headers,
    remoteAddress,
    body: () => (hasBody(headers) ? readBody(declaredLength(headers)) : Promise.resolve(noBody)),
  }
}

const noBody = Buffer.alloc(0)

/** The lines of a header; none where it was not sent. @param name In small letters. */
export function linesOf({ headers }: HttpRequest, name: string): readonly string[] {
  return headers.get(name) ?? []
}

/** Whether a request has a body at all. Most GETs have none, and waiting for its end costs a turn. */
export function hasBody(headers: HeaderLines): boolean {
  return headers.has('transfer-encoding') || declaredLength(headers) > 0
}

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
