import { maturity, type PlatformOperation, requestOf } from '../../contract/operations.ts'
import { type NamedOperation, platformOperations } from '../marketplace/platform-operations.ts'
import { operationExamples } from './examples.ts'
import { orderText, retryTexts } from './prose.ts'
import { refusalResponses } from './refusals.ts'
import { pathSchemasOf, referenceTo } from './schemas.ts'
import {
  type Content,
  contentOf,
  type JsonSchema,
  type Method,
  type OperationObject,
  type PathItem,
  type ResponseObject,
} from './shape.ts'

/** The document's `paths`: every route of the operations' table. Operations with the same route are alternatives of its body. */
export function pathItems(): Readonly<Record<string, PathItem>> {
  const byPath = Map.groupBy(platformOperations, ({ operation }) => operation.path)
  return Object.fromEntries(
    [...byPath].map(([path, members]) => {
      const byMethod = Map.groupBy(members, ({ operation }) => operation.method)
      return [path, Object.fromEntries([...byMethod].map(([method, sharing]) => [lower(method), routeOf(sharing)]))]
    }),
  )
}

function routeOf(sharing: readonly NamedOperation[]): OperationObject {
  const [first] = sharing
  if (!first) throw new Error('a route without operations')
  const { name, operation } = first
  const [chapter = ''] = name.split('.')
  const parameters = parametersOf(first)
  return {
    operationId: operationIdOf(sharing),
    summary: sharing.map((member) => member.operation.summary).join(' Or: '),
    description: descriptionOf(first),
    tags: [chapter],
    'x-maturity': maturity,
    security: [operation.auth === 'service' ? { apiKey: [], signature: [] } : { signature: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...(operation.body !== 'none' && { requestBody: { required: true, content: bodyOf(sharing) } }),
    responses: { '200': successOf(first), ...refusalResponses(sharing) },
  }
}

/** `market.adjust-stock-or-withdraw` for two operations on one route. */
function operationIdOf(sharing: readonly NamedOperation[]): string {
  const [chapter] = sharing[0]?.name.split('.') ?? []
  return `${chapter}.${sharing.map(({ name }) => name.slice(name.indexOf('.') + 1)).join('-or-')}`
}

function descriptionOf({ operation }: NamedOperation): string {
  const { auth, retry, orderedBy } = operation
  return [
    auth === 'service'
      ? 'Called by the game server: API key and signature.'
      : 'Carried by the game client, which holds no API key: only the signature, and its kid says who calls.',
    retryTexts[retry],
    ...(orderedBy ? [orderText(orderedBy)] : []),
  ].join('\n\n')
}

function parametersOf({ name, operation }: NamedOperation): NonNullable<OperationObject['parameters']> {
  return pathSchemasOf(operation).map(([field, schema]) => ({
    name: field,
    in: 'path',
    required: true,
    schema,
    example: operationExamples[name].input[field],
  }))
}

function bodyOf(sharing: readonly NamedOperation[]): Content {
  const [only = {}, ...others] = sharing.map(({ operation }) => bodySchemaOf(operation))
  const examples = sharing.map(({ name, operation: { summary, ...operation } }) => {
    const { body } = requestOf({ summary, ...operation }, operationExamples[name].input)
    return [name, { summary, value: JSON.parse(body) as unknown }]
  })
  return contentOf(others.length === 0 ? only : { oneOf: [only, ...others] }, Object.fromEntries(examples))
}

function bodySchemaOf({ body, input }: PlatformOperation): JsonSchema {
  return body === 'empty-object' ? { type: 'object', maxProperties: 0 } : referenceTo(input)
}

function successOf({ name, operation: { output } }: NamedOperation): ResponseObject {
  if (output === null) return { description: 'Done. The body is empty.' }
  const schema: JsonSchema = { type: 'object', properties: { data: referenceTo(output) }, required: ['data'] }
  const { data } = operationExamples[name]
  return { description: 'Done.', content: contentOf(schema, { [name]: { value: { data } } }) }
}

function lower(method: PlatformOperation['method']): Method {
  return method.toLowerCase() as Method
}
