import * as z from 'zod/mini'
import { characterLink, characterLinkRequest, eligibility } from '../../contract/character.ts'
import { transactionTerminal, transferOrder, transferOrderReply } from '../../contract/events.ts'
import { listing, listingRegistration, stockAdjustment, withdrawal } from '../../contract/listing.ts'
import { operations, type PlatformOperation } from '../../contract/operations.ts'
import {
  createdTransaction,
  deliveryConfirmation,
  deliveryFailure,
  deliveryFailureReport,
  purchase,
  transactionState,
} from '../../contract/transaction.ts'
import type { JsonSchema } from './shape.ts'

/** The name of each schema of the contract in the document: inputs, then data, then webhooks. */
const names: ReadonlyMap<z.ZodMiniType, string> = new Map<z.ZodMiniType, string>([
  [characterLinkRequest, 'CharacterLinkRequest'],
  [characterLink, 'CharacterLink'],
  [eligibility, 'Eligibility'],
  [listingRegistration, 'ListingRegistration'],
  [stockAdjustment, 'StockAdjustment'],
  [withdrawal, 'Withdrawal'],
  [listing, 'Listing'],
  [purchase, 'Purchase'],
  [createdTransaction, 'CreatedTransaction'],
  [transactionState, 'TransactionState'],
  [deliveryConfirmation, 'DeliveryConfirmation'],
  [deliveryFailure, 'DeliveryFailure'],
  [deliveryFailureReport, 'DeliveryFailureReport'],
  [transferOrder, 'TransferOrder'],
  [transferOrderReply, 'TransferOrderReply'],
  [transactionTerminal, 'TransactionTerminal'],
])

/** A reference to a schema of the contract. @throws {Error} The schema has no name in the document. */
export function referenceTo(schema: z.ZodMiniType): JsonSchema {
  return { $ref: `#/components/schemas/${nameOf(schema)}` }
}

/** A reference to the schema of every refusal. @see interface section 7 */
export const referenceToRefusal: JsonSchema = { $ref: '#/components/schemas/Refusal' }

/** Every schema that can be referenced. An operation's input is written as its body. */
export function componentSchemas(): Readonly<Record<string, JsonSchema>> {
  const bodies = new Map<z.ZodMiniType, JsonSchema>()
  for (const operation of Object.values(operations)) {
    if (operation.kind === 'platform') bodies.set(operation.input, bodySchemaOf(operation))
  }
  const written = [...names].map(([schema, name]) => [name, bodies.get(schema) ?? jsonSchemaOf(schema)])
  return { ...Object.fromEntries(written), Refusal: refusalSchema }
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
