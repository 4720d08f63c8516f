import type * as z from 'zod/mini'
import { inputErrorInWords, jsonErrorInWords } from '../../contract/faults-in-words.ts'
import { decodeUtf8, readStrictJson } from '../../contract/strict-json.ts'
import { type Refusal, refuse } from '../marketplace/refusal.ts'
import { type HttpRequest, linesOf } from './http-request.ts'

/** Whether the body is declared as what every route with a body takes: plain JSON, on one line. */
export function isDeclaredJson(request: HttpRequest): boolean {
  const [contentType, ...others] = linesOf(request, 'content-type')
  if (contentType === undefined || others.length > 0) return false
  if (linesOf(request, 'content-encoding').some((encoding) => encoding.toLowerCase() !== 'identity')) return false
  return /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(contentType)
}

/**
 * A JSON object from a request's bytes, in the strict reading of both programs.
 *
 * @returns The object, or BODY_INVALID with what is wrong.
 */
export function readObject(body: Uint8Array): Readonly<Record<string, unknown>> | Refusal {
  const hasByteOrderMark = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf
  const text = hasByteOrderMark ? undefined : decodeUtf8(body)
  const reading = readStrictJson(text ?? '')
  if (!reading.ok) return refuse('BODY_INVALID', { fault: jsonErrorInWords(reading.error) })
  return reading.object.value
}

/**
 * A value by a schema.
 *
 * @returns The value, or BODY_INVALID in the contract's words, naming the first invalid field.
 */
export function parseFields<Schema extends z.ZodMiniType>(schema: Schema, value: unknown): z.infer<Schema> | Refusal {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  return refuse('BODY_INVALID', { fault: issue ? inputErrorInWords(issue, value) : '' })
}
