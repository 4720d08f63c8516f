/** A JSON Schema, dialect 2020-12, as OpenAPI 3.1 embeds it; or a reference to one. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly examples?: readonly unknown[]
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly maxProperties?: number
}

/** A body: its schema, and examples that fit it. */
export interface MediaType {
  readonly schema: JsonSchema
  readonly examples: Readonly<Record<string, { readonly summary?: string; readonly value: unknown }>>
}

/** Everything here is JSON: requests, answers and webhooks. */
export interface Content {
  readonly 'application/json': MediaType
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

/** The part of OpenAPI 3.1 that the stub uses. */
export interface OpenApiDocument {
  readonly openapi: '3.1.1'
  readonly info: {
    readonly title: string
    readonly version: string
    readonly summary: string
    readonly description: string
    readonly license: { readonly name: string; readonly identifier: string }
  }
  readonly servers: readonly { readonly url: string; readonly description: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, PathItem>>
  readonly webhooks: Readonly<Record<string, PathItem>>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly securitySchemes: Readonly<
      Record<
        string,
        { readonly type: 'apiKey'; readonly in: 'header'; readonly name: string; readonly description: string }
      >
    >
  }
}
