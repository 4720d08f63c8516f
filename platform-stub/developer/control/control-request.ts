import type { Context } from 'hono'
import type * as z from 'zod/mini'
import { limits } from '../../../contract/limits.ts'
import { orThrow, refuse } from '../../marketplace/refusal.ts'
import { parseFields, readObject } from '../../partner-api/input.ts'
import { stubLimits } from '../../store/stub-limits.ts'
import type { StubEnv } from './control-parts.ts'

/**
 * A control request's body by its schema; no body is an empty object.
 *
 * @throws {Refusal} 413, or 400 naming the field.
 */
export async function bodyOf<Schema extends z.ZodMiniType>(
  context: Context<StubEnv>,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const bytes = new Uint8Array(await context.req.arrayBuffer())
  if (bytes.length > limits.bodyBytesMax) throw refuse('BODY_TOO_LARGE', { bytesMax: limits.bodyBytesMax })
  return orThrow(parseFields(schema, bytes.length === 0 ? {} : orThrow(readObject(bytes))))
}

/** How many entries of a list are asked for. @throws {Refusal} LIMIT_UNFIT */
export function limitOf(context: Context<StubEnv>): number {
  const asked = context.req.query('limit')
  if (asked === undefined) return stubLimits.listLengthDefault
  const count = positiveInteger(asked)
  if (count === undefined || count > stubLimits.listLengthMax) throw refuse('LIMIT_UNFIT')
  return count
}

/** A number of 1 or more as it stands in a path or query; undefined for anything else. */
export function positiveInteger(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text))
    ? Number(text)
    : undefined
}
