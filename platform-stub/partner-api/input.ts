import type * as z from 'zod/mini'
import { parseFields, readObject } from '../http/json-body.ts'
import type { NamedOperation } from '../marketplace/platform-operations.ts'
import { Refusal, refuse } from '../marketplace/refusal.ts'
import type { Route } from './partner-routes.ts'

/** What a request asks for, once its body and path are known to be what the contract says: its fields and no others. */
export interface PartnerInput {
  readonly operation: NamedOperation
  readonly input: Readonly<Record<string, unknown>>
}

/**
 * Reads body and path fields by the operation's schema; the first input error names its field.
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
  const { input: schema } = operation
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
