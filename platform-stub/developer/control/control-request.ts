import type { Context } from 'hono'
import * as z from 'zod/mini'
import type { StubEnv } from '../../http/framework.ts'
import { type HttpRequest, hasBody } from '../../http/http-request.ts'
import { isDeclaredJson, parseFields, readObject } from '../../http/json-body.ts'
import { positiveInteger } from '../../http/positive-integer.ts'
import { orThrow, type Refusal, refuse } from '../../marketplace/refusal.ts'

/** Entries of a list: those that are not asked for by number, and the most that can be. */
const listLengthDefault = 100
const listLengthMax = 1_000

/** For routes that take no field. */
export const noFields = z.strictObject({})

/**
 * A control request's body by its schema; no body is an empty object. A route with a body takes no query.
 *
 * @throws {Refusal} 415, 413, or 400 naming the field or the parameter.
 */
export async function bodyOf<Schema extends z.ZodMiniType>(
  context: Context<StubEnv>,
  schema: Schema,
): Promise<z.infer<Schema>> {
  noQuery(context)
  return orThrow(parseFields(schema, orThrow(await readJson(context.env.request))))
}

async function readJson(request: HttpRequest): Promise<Readonly<Record<string, unknown>> | Refusal> {
  if (!hasBody(request.headers)) return {}
  if (!isDeclaredJson(request)) return refuse('BODY_NOT_JSON_TYPE')
  const body = await request.body()
  if (!Buffer.isBuffer(body)) return body
  return body.length === 0 ? {} : readObject(body)
}

/**
 * The parameters of a request's query, each by its name.
 *
 * @param known Every name that the route takes.
 * @throws {Refusal} QUERY_UNKNOWN for any other name, QUERY_REPEATED for a name that comes twice.
 */
export function queryOf(context: Context<StubEnv>, known: readonly string[]): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(context.env.request.query)) {
    if (!known.includes(name)) throw refuse('QUERY_UNKNOWN', { name, known: known.join(', ') })
    if (parameters.has(name)) throw refuse('QUERY_REPEATED', { name })
    parameters.set(name, value)
  }
  return parameters
}

/** For routes that take no parameter. @throws {Refusal} QUERY_UNKNOWN */
export function noQuery(context: Context<StubEnv>): void {
  queryOf(context, [])
}

/** How many entries of a list are asked for, by the parameter `limit`. @throws {Refusal} LIMIT_INVALID, or of `queryOf` */
export function limitOf(context: Context<StubEnv>): number {
  return limitIn(queryOf(context, ['limit']))
}

/** The same of a query that has other parameters too. @throws {Refusal} LIMIT_INVALID */
export function limitIn(query: ReadonlyMap<string, string>): number {
  const asked = query.get('limit')
  if (asked === undefined) return listLengthDefault
  const count = positiveInteger(asked)
  if (count === undefined || count > listLengthMax) throw refuse('LIMIT_INVALID')
  return count
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
