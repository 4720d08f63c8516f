import type { Context } from 'hono'
import type * as z from 'zod/mini'
import { limits } from '../../../contract/limits.ts'
import { refuse } from '../../partner-api/refusal.ts'
import type { StubEnv } from '../../server/environment.ts'
import { parseFields, readObject } from '../../server/json-input.ts'
import { positiveInteger } from '../../server/positive-integer.ts'
import { stubLimits } from '../../server/stub-limits.ts'

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
  return parseFields(schema, bytes.length === 0 ? {} : readObject(bytes))
}

/** How many entries of a list are asked for. @throws {Refusal} LIMIT_UNFIT */
export function limitOf(context: Context<StubEnv>): number {
  const asked = context.req.query('limit')
  if (asked === undefined) return stubLimits.listLengthDefault
  const count = positiveInteger(asked)
  if (count === undefined || count > stubLimits.listLengthMax) throw refuse('LIMIT_UNFIT')
  return count
}
