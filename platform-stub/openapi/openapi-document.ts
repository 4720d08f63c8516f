import { apiKeyHeaderName, signatureHeaderName } from '../../contract/envelope/protected-header.ts'
import manifest from '../../package.json' with { type: 'json' }
import { webhookPathItems } from './events.ts'
import { pathItems } from './paths.ts'
import { introduction, signatureText, tags, webhookSignatureText } from './prose.ts'
import { componentSchemas } from './schemas.ts'

/**
 * OpenAPI 3.1 of the partner routes and both webhooks. It comes from the same tables of the contract as the stub's routes,
 * so the two cannot differ.
 *
 * Its version is the stub's, because the interface has only the `/v1` of its paths.
 *
 * @param serverUrl The stub's address, without a trailing slash.
 * @see interface sections 3 to 7
 */
export function openApiDocument(serverUrl: string) {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Game-server integration API',
      version: manifest.version,
      summary: 'What a game server calls at the marketplace, and the webhooks that it receives.',
      description: introduction,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: serverUrl, description: 'platform-stub. Paths begin with their /v1.' }],
    tags,
    paths: pathItems(),
    webhooks: webhookPathItems(),
    components: {
      schemas: componentSchemas(),
      securitySchemes: {
        apiKey: header(
          apiKeyHeaderName,
          'The API key of the game server. It never leaves its host: a game client has none.',
        ),
        signature: header(signatureHeaderName, signatureText),
        webhookSignature: header(signatureHeaderName, webhookSignatureText),
      },
    },
  }
}

/** The part of OpenAPI 3.1 that the stub uses. */
export type OpenApiDocument = ReturnType<typeof openApiDocument>

function header(name: string, description: string) {
  return { type: 'apiKey', in: 'header', name, description }
}
