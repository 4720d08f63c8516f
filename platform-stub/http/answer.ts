import type { Readable } from 'node:stream'
import { httpDate } from '../clock/iso.ts'
import type { HttpRequest } from './http-request.ts'

/** What goes back to a sender. */
export interface HttpAnswer {
  readonly status: number
  /** Of a body that is not empty, unless `headers` say it. */
  readonly contentType?: string
  /** Names and values in turn. `Date`, and `Content-Length` of a whole body, are added. */
  readonly headers: readonly string[]
  /** A stream for an answer that continues; empty for none. */
  readonly body: string | Uint8Array | Readable
  /** How much of it leaves: a fault cuts it in half, or drops the connection. `whole` where it is left out. */
  readonly ending?: 'whole' | 'cut' | 'dropped'
}

/** Answers one request. An error that it throws is a bug of the stub. */
export type Handler = (request: HttpRequest) => Promise<HttpAnswer>

/** The head of an answer, names and values in turn: a list, which Node sends as it is, while it copies an object. */
export function headOf(answer: HttpAnswer, nowMs: number): string[] {
  const { status, contentType, headers } = answer
  const body = sentBodyOf(answer)
  const lines = ['Date', httpDate(nowMs), ...headers]
  if (contentType !== undefined && body !== '') lines.push('Content-Type', contentType)
  if (isWhole(body) && !lengthless.has(status)) lines.push('Content-Length', String(Buffer.byteLength(body)))
  return lines
}

/** The body that leaves: none for a status that has none, whatever a fault asks for. */
export function sentBodyOf({ status, body }: HttpAnswer): HttpAnswer['body'] {
  return bodyless.has(status) ? '' : body
}

/** Whether a body is known to its end. */
export function isWhole(body: HttpAnswer['body']): body is string | Uint8Array {
  return typeof body === 'string' || body instanceof Uint8Array
}

/** Statuses whose answer has no body; for two of them a length is not allowed either. */
const bodyless: ReadonlySet<number> = new Set([204, 205, 304])
const lengthless: ReadonlySet<number> = new Set([204, 304])

/** How JSON is declared. */
export const jsonType = 'application/json; charset=utf-8'

/** Headers of an answer that no cache may keep, and whose type no reader may guess. */
export const notKept: readonly string[] = ['Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff']
