import type { IncomingMessage } from 'node:http'
import type { Context } from 'hono'
import * as z from 'zod/mini'
import { orThrow, type Refusal, refuse } from '../../marketplace/refusal.ts'
import { parseFields, readObject } from '../../partner-api/input.ts'
import { hasBody, isDeclaredJson, readBody, readHead } from '../../partner-api/partner-request.ts'
import { stubLimits } from '../../store/stub-limits.ts'
import type { StubEnv } from './control-parts.ts'

/** For routes that take no field. */
export const noFields = z.strictObject({})

/**
 * A control request's body by its schema; no body is an empty object.
 *
 * @throws {Refusal} 415, 413, or 400 naming the field.
 */
export async function bodyOf<Schema extends z.ZodMiniType>(
  context: Context<StubEnv>,
  schema: Schema,
): Promise<z.infer<Schema>> {
  return orThrow(parseFields(schema, orThrow(await readJson(context.env.incoming))))
}

/** Reads the request itself: the framework would read a body of any length before it shows it. */
async function readJson(incoming: IncomingMessage): Promise<Readonly<Record<string, unknown>> | Refusal> {
  if (!hasBody(incoming)) return {}
  if (!isDeclaredJson(readHead(incoming))) return refuse('BODY_NOT_JSON_TYPE')
  const body = await readBody(incoming)
  if (!Buffer.isBuffer(body)) return body
  return body.length === 0 ? {} : readObject(body)
}

/** How many entries of a list are asked for. @throws {Refusal} LIMIT_INVALID */
export function limitOf(context: Context<StubEnv>): number {
  const asked = context.req.query('limit')
  if (asked === undefined) return stubLimits.listLengthDefault
  const count = positiveInteger(asked)
  if (count === undefined || count > stubLimits.listLengthMax) throw refuse('LIMIT_INVALID')
  return count
}

/** A number of 1 or more, written in a path or query; undefined for anything else. */
export function positiveInteger(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text))
    ? Number(text)
    : undefined
}

/**
 * A webhook address or null: the general words for a wrong field would ask for a text, and null is taken too.
 *
 * @throws {Refusal} WEBHOOK_URL_INVALID
 */
export function textOrNull(webhookUrl: unknown): string | null {
  if (webhookUrl === null || typeof webhookUrl === 'string') return webhookUrl
  throw refuse('WEBHOOK_URL_INVALID')
}
