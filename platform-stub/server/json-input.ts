import type * as z from 'zod/mini'
import { inputFaultInWords, jsonFaultInWords } from '../../contract/faults-in-words.ts'
import { decodeUtf8, readStrictJson } from '../../contract/strict-json.ts'
import { refuse } from '../partner-api/refusal.ts'

/**
 * A JSON object from a request's bytes, in the strict reading of both programs.
 *
 * @throws {Refusal} BODY_INVALID with what is wrong.
 */
export function readObject(body: Uint8Array): Readonly<Record<string, unknown>> {
  const hasByteOrderMark = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf
  const text = hasByteOrderMark ? undefined : decodeUtf8(body)
  const reading = readStrictJson(text ?? '')
  if (!reading.ok) throw refuse('BODY_INVALID', { fault: jsonFaultInWords(reading.fault) })
  return reading.object.value
}

/**
 * A value by a schema, in the contract's words where it does not fit.
 *
 * @throws {Refusal} BODY_INVALID naming the first field at fault.
 */
export function parseFields<Schema extends z.ZodMiniType>(schema: Schema, value: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw refuse('BODY_INVALID', { fault: issue ? inputFaultInWords(issue, value) : '' })
}
