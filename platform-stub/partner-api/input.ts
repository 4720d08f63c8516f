import type * as z from 'zod/mini'
import { inputFaultInWords, jsonFaultInWords } from '../../contract/faults-in-words.ts'
import { decodeUtf8, readStrictJson } from '../../contract/strict-json.ts'
import type { NamedOperation } from '../marketplace/platform-operations.ts'
import { refuse } from '../marketplace/refusal.ts'
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
 * @throws {Refusal} 400.
 */
export function readInput(route: Route, fields: Readonly<Record<string, string>>, body: Uint8Array): PartnerInput {
  const [only] = route.operations
  if (route.operations.length === 1 && only?.operation.body === 'none') {
    return { operation: only, input: fitting(only, pathValues(only, fields)) }
  }
  const value = readObject(body)
  const operation = operationOf(route, value)
  if (operation.operation.body === 'empty-object' && Object.keys(value).length > 0)
    throw refuse('BODY_NOT_EMPTY_OBJECT')
  return { operation, input: fitting(operation, { ...value, ...pathValues(operation, fields) }) }
}

function operationOf(route: Route, value: Readonly<Record<string, unknown>>): NamedOperation {
  if (route.implied) parseFields(route.implied, value)
  const operation = route.operations.find((candidate) =>
    Object.entries(candidate.operation.implied).every(([field, implied]) => value[field] === implied),
  )
  if (!operation) throw new Error(`no operation of ${route.method} takes this body`)
  return operation
}

function fitting({ operation }: NamedOperation, value: Readonly<Record<string, unknown>>) {
  return parseFields(operation.input, value) as Readonly<Record<string, unknown>>
}

/** Path fields in the types that the operation's schema wants: a number is written without sign or leading zero. */
function pathValues({ operation }: NamedOperation, fields: Readonly<Record<string, string>>): Record<string, unknown> {
  const shape: Readonly<Record<string, z.core.$ZodType>> = operation.input.def.shape
  return Object.fromEntries(
    Object.entries(fields).map(([field, written]) => {
      const text = decoded(written)
      const isNumber = shape[field]?._zod.def.type === 'number' && /^(0|[1-9]\d*)$/.test(text)
      return [field, isNumber ? Number(text) : text]
    }),
  )
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw refuse('ROUTE_UNKNOWN')
  }
}

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
