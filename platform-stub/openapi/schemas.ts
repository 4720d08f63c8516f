import * as z from 'zod/mini'
import * as character from '../../contract/character.ts'
import * as events from '../../contract/events.ts'
import * as listing from '../../contract/listing.ts'
import type { PlatformOperation } from '../../contract/operations.ts'
import * as transaction from '../../contract/transaction.ts'
import { platformOperations } from '../marketplace/platform-operations.ts'
import type { JsonSchema } from './shape.ts'

/** The name of each schema in the document: that of its export in the contract, with a capital. */
const names: ReadonlyMap<unknown, string> = new Map(
  Object.entries({ ...character, ...listing, ...transaction, ...events }).map(([name, exported]) => [
    exported,
    `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
  ]),
)

/** A reference to a schema of the contract. @throws {Error} The schema has no name in the document. */
export function referenceTo(schema: z.ZodMiniType): JsonSchema {
  return { $ref: `#/components/schemas/${nameOf(schema)}` }
}

/** A reference to the schema of every refusal. @see interface section 7 */
export const referenceToRefusal: JsonSchema = { $ref: '#/components/schemas/Refusal' }

/** Every schema that can be referenced. An operation's input is written as its body. */
export function componentSchemas(): Readonly<Record<string, JsonSchema>> {
  const written = new Map<z.ZodMiniType, JsonSchema>()
  for (const { operation } of platformOperations) {
    // The input of a route without a body consists of path fields and has no name.
    if (names.has(operation.input)) written.set(operation.input, bodySchemaOf(operation))
    if (operation.output) written.set(operation.output, jsonSchemaOf(operation.output))
  }
  for (const { payload } of Object.values(events.webhookEvents)) written.set(payload, jsonSchemaOf(payload))
  written.set(events.transferOrderReply, jsonSchemaOf(events.transferOrderReply))
  return {
    ...Object.fromEntries([...written].map(([schema, json]) => [nameOf(schema), json])),
    Refusal: refusalSchema,
  }
}

/** The path fields of an operation, with their schemas. */
export function pathSchemasOf({ input, path }: PlatformOperation): [field: string, schema: JsonSchema][] {
  return Object.entries(jsonSchemaOf(input).properties ?? {}).filter(([field]) => path.includes(`{${field}}`))
}

/** An operation's input without its path fields, and with the fields that the operation implies. */
function bodySchemaOf({ input, path, implied }: PlatformOperation): JsonSchema {
  const { properties = {}, required = [], ...rest } = jsonSchemaOf(input)
  const isInBody = (field: string): boolean => !path.includes(`{${field}}`)
  return {
    ...rest,
    properties: {
      ...Object.fromEntries(Object.entries(implied).map(([field, value]) => [field, { type: 'string', const: value }])),
      ...Object.fromEntries(Object.entries(properties).filter(([field]) => isInBody(field))),
    },
    required: [...Object.keys(implied), ...required.filter(isInBody)],
  }
}

const refusalSchema: JsonSchema = {
  type: 'object',
  description: 'Every refusal, on any route: at the root, with no envelope.',
  properties: { message: { type: 'string', description: 'Brazilian Portuguese, ready to be shown to the player.' } },
  required: ['message'],
  additionalProperties: true,
}

function nameOf(schema: z.ZodMiniType): string {
  const name = names.get(schema)
  if (!name) throw new Error('a schema of the contract has no name in the OpenAPI document')
  return name
}

/** Writes `additionalProperties: true` in place of the empty schema, because more tools understand it. */
function jsonSchemaOf(schema: z.ZodMiniType): JsonSchema {
  const { $schema: _, ...written } = z.toJSONSchema(schema, {
    override: ({ jsonSchema }) => {
      if (isEmptyObject(jsonSchema.additionalProperties)) jsonSchema.additionalProperties = true
    },
  })
  return written as JsonSchema
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}
