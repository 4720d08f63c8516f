import type * as z from 'zod/mini'

type Written = z.core.JSONSchema.JSONSchema

/** A JSON Schema, dialect 2020-12, as OpenAPI 3.1 embeds it; or a reference to one. */
export interface JsonSchema
  extends Pick<Written, '$ref' | 'type' | 'description' | 'format' | 'const' | 'enum' | 'examples' | 'required'>,
    Pick<Written, 'minimum' | 'maximum' | 'minLength' | 'maxLength' | 'maxProperties' | 'additionalProperties'> {
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
}

/** A body: its schema, and examples that fit it. Everything here is JSON: requests, answers and webhooks. */
export interface Content {
  readonly 'application/json': {
    readonly schema: JsonSchema
    readonly examples: Readonly<Record<string, { readonly summary?: string; readonly value: unknown }>>
  }
}

/** A body of this schema. */
export function contentOf(schema: JsonSchema, examples: Content['application/json']['examples']): Content {
  return { 'application/json': { schema, examples } }
}

/** The answer with one status. */
export interface ResponseObject {
  readonly description: string
  /** Missing if the body is empty. */
  readonly content?: Content
}

/** One method of one path, or of a webhook. */
export interface OperationObject {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  /** Marker of the interface's section 9. */
  readonly 'x-maturity': string
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly {
    readonly name: string
    readonly in: 'path'
    readonly required: true
    readonly schema: JsonSchema
    readonly example: unknown
  }[]
  readonly requestBody?: { readonly required: true; readonly content: Content }
  readonly responses: Readonly<Record<string, ResponseObject>>
}

/** The methods that the interface uses, as OpenAPI writes them. */
export type Method = 'get' | 'post' | 'put'
/** The methods of one path. */
export type PathItem = Readonly<Partial<Record<Method, OperationObject>>>
