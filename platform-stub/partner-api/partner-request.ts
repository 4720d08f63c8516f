import type { IncomingMessage } from 'node:http'
import { apiKeyHeaderName, signatureHeaderName } from '../../contract/envelope/protected-header.ts'
import { limits } from '../../contract/limits.ts'
import { type Refusal, refuse } from '../marketplace/refusal.ts'
import { stubLimits } from '../store/stub-limits.ts'

/** A partner's request as it was received, before anything in it is believed. */
export interface PartnerRequest {
  readonly method: string
  /** The target without query, as it was written. */
  readonly path: string
  /** Every line of each header: a second one must be seen, and Node's own view hides it. */
  readonly signatureLines: readonly string[]
  readonly apiKeyLines: readonly string[]
  readonly contentTypeLines: readonly string[]
  readonly contentEncodingLines: readonly string[]
  readonly body: Buffer
}

const lineLists = {
  [signatureHeaderName.toLowerCase()]: 'signatureLines',
  [apiKeyHeaderName.toLowerCase()]: 'apiKeyLines',
  'content-type': 'contentTypeLines',
  'content-encoding': 'contentEncodingLines',
} as const

type LineList = (typeof lineLists)[string]

/** The parts of a request before its body. */
export function readHead({ method = '', url = '', rawHeaders }: IncomingMessage): Omit<PartnerRequest, 'body'> {
  const lines: Record<LineList, string[]> = {
    signatureLines: [],
    apiKeyLines: [],
    contentTypeLines: [],
    contentEncodingLines: [],
  }
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const list = lineLists[rawHeaders[at]?.toLowerCase() ?? '']
    if (list) lines[list].push(rawHeaders[at + 1] ?? '')
  }
  const queryAt = url.indexOf('?')
  return { method, path: queryAt < 0 ? url : url.slice(0, queryAt), ...lines }
}

/**
 * The body's bytes.
 *
 * @returns Them; or BODY_TOO_LARGE beyond `limits.bodyBytesMax`, after the sender was read far enough to listen; or
 *   BODY_CUT when the connection ends before the body.
 */
export function readBody(incoming: IncomingMessage): Promise<Buffer | Refusal> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let length = 0
    const declared = Number(incoming.headers['content-length'] ?? 0)
    const tooLarge = () => resolve(refuse('BODY_TOO_LARGE', { bytesMax: limits.bodyBytesMax }))
    if (declared > stubLimits.bodyBytesDroppedMax) return tooLarge()
    incoming.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= limits.bodyBytesMax) chunks.push(chunk)
      else if (length > stubLimits.bodyBytesDroppedMax) tooLarge()
    })
    incoming.on('end', () => {
      if (length > limits.bodyBytesMax) tooLarge()
      else resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, length))
    })
    incoming.on('error', () => resolve(refuse('BODY_CUT')))
    incoming.on('aborted', () => resolve(refuse('BODY_CUT')))
  })
}

/** The body of a request that has none. */
export const noBody = Buffer.alloc(0)

/** Whether a request has a body at all: GET mostly has none, and waiting for its end costs a turn. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** Whether the body is declared as what every route with a body takes: plain JSON, one such line. */
export function isDeclaredJson({ contentTypeLines, contentEncodingLines }: Omit<PartnerRequest, 'body'>): boolean {
  const [contentType, ...others] = contentTypeLines
  if (contentType === undefined || others.length > 0) return false
  if (contentEncodingLines.some((encoding) => encoding.toLowerCase() !== 'identity')) return false
  return /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(contentType)
}
