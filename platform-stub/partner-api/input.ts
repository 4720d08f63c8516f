import type * as z from 'zod/mini'
import { inputErrorInWords, jsonErrorInWords } from '../../contract/faults-in-words.ts'
import { decodeUtf8, readStrictJson } from '../../contract/strict-json.ts'
import type { NamedOperation } from '../marketplace/platform-operations.ts'
import { Refusal, refuse } from '../marketplace/refusal.ts'
import type { Route } from './partner-routes.ts'

/** What a request asks for, once its body and path are known to be what the contract says. */
export interface PartnerInput {
  readonly operation: NamedOperation
  readonly input: Readonly<Record<string, unknown>>
}

/**
 * Reads body and path fields by the contract's schema; the first fault names its field.
 *
 * @param fields Path fields as written.
 * @returns The input, or a 400; 404 for a path field that is badly encoded.
 */
export function readInput(
  route: Route,
  fields: Readonly<Record<string, string>>,
  body: Uint8Array,
): PartnerInput | Refusal {
  const [only] = route.operations
  if (route.operations.length === 1 && only?.operation.body === 'none') {
    return inputOf(only, {}, fields)
  }
  const value = readObject(body)
  if (value instanceof Refusal) return value
  const operation = operationOf(route, value)
  if (operation instanceof Refusal) return operation
  if (operation.operation.body === 'empty-object' && Object.keys(value).length > 0)
    return refuse('BODY_NOT_EMPTY_OBJECT')
  return inputOf(operation, value, fields)
}

function operationOf(route: Route, value: Readonly<Record<string, unknown>>): NamedOperation | Refusal {
  const implied = route.implied && parseFields(route.implied, value)
  if (implied instanceof Refusal) return implied
  const operation = route.operations.find((candidate) =>
    Object.entries(candidate.operation.implied).every(([field, implied]) => value[field] === implied),
  )
  if (!operation) throw new Error(`no operation of ${route.method} takes this body`)
  return operation
}

/** Path fields get the types that the operation's schema wants: a number is written without sign or leading zero. */
function inputOf(
  operation: NamedOperation,
  value: Readonly<Record<string, unknown>>,
  fields: Readonly<Record<string, string>>,
): PartnerInput | Refusal {
  const { input: schema } = operation.operation
  const shape: Readonly<Record<string, z.core.$ZodType>> = schema.def.shape
  const whole: Record<string, unknown> = { ...value }
  for (const [field, written] of Object.entries(fields)) {
    const text = decode(written)
    if (text === undefined) return refuse('ROUTE_UNKNOWN')
    const isNumber = shape[field]?._zod.def.type === 'number' && /^(0|[1-9]\d*)$/.test(text)
    whole[field] = isNumber ? Number(text) : text
  }
  const input = parseFields(schema, whole)
  return input instanceof Refusal ? input : { operation, input }
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
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
