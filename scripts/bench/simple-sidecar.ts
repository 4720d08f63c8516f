/**
 * What the agent is measured against: the sidecar that a person would write in an afternoon, with fastify, jose and
 * Node's own fetch. No retries, no ordering, no guards, no log, no memory of ids.
 */
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fastify } from 'fastify'
import { FlattenedSign, importPKCS8 } from 'jose'

type Input = Record<string, unknown>
/** Where an operation goes. */
export type Route = {
  method: string
  path: (input: Input) => string
  body?: (input: Input) => Input
  withApiKey: boolean
}

/** By operation. */
export const routes: Record<string, Route> = {
  'market.adjust-stock': {
    method: 'PUT',
    path: () => '/v1/api/market/listings',
    body: (input) => ({ ...input, action: 'ADJUST_STOCK' }),
    withApiKey: true,
  },
  'market.eligibility': {
    method: 'GET',
    path: (input) => `/v1/api/market/eligibility/${encodeURIComponent(String(input['characterRef']))}`,
    withApiKey: true,
  },
  'market.register': {
    method: 'POST',
    path: () => '/v1/api/market/listings',
    body: (input) => input,
    withApiKey: false,
  },
}

/** Where the platform is, and who calls it. */
export interface Credentials {
  readonly baseUrl: string
  readonly apiKey: string
  readonly kid: string
  readonly signingKeyPem: string
}

/** An answer in the agent's form. */
export type Answer = { ok: true; data: unknown } | { ok: false; message: string; status: number }

/** A function that signs an operation with jose and sends it with fetch. */
export async function platformClient(
  credentials: Credentials,
): Promise<(name: string, input: Input) => Promise<Answer>> {
  const key = await importPKCS8(credentials.signingKeyPem, 'RS256')

  return async (name, input) => {
    const route = routes[name]
    if (!route) return { ok: false, message: `Operação desconhecida: ${name}.`, status: 400 }
    const body = route.body ? JSON.stringify(route.body(input)) : ''
    const jws = await new FlattenedSign(new TextEncoder().encode(body))
      .setProtectedHeader({
        alg: 'RS256',
        kid: credentials.kid,
        jti: randomUUID(),
        exp: Math.floor(Date.now() / 1000) + 60,
      })
      .sign(key)
    const response = await fetch(credentials.baseUrl + route.path(input), {
      method: route.method,
      headers: {
        'X-Platform-Signature': `${jws.protected}..${jws.signature}`,
        ...(route.withApiKey && { 'X-Service-Api-Key': credentials.apiKey }),
        ...(body && { 'Content-Type': 'application/json' }),
      },
      body: body || null,
    })
    const text = await response.text()
    const answer = text ? (JSON.parse(text) as { data?: unknown; message?: string }) : {}
    return response.ok
      ? { ok: true, data: answer.data ?? null }
      : { ok: false, message: answer.message ?? '', status: response.status }
  }
}

/** The credentials from the variables that configure the agent too. */
export async function credentialsFromEnvironment(): Promise<Credentials> {
  const { env } = process
  return {
    baseUrl: env['SERVICE_BASE_URL'] ?? '',
    apiKey: env['SERVICE_API_KEY'] ?? '',
    kid: env['SERVICE_SIGNING_KID'] ?? '',
    signingKeyPem: await readFile(env['SERVICE_SIGNING_KEY_FILE'] ?? '', 'utf8'),
  }
}

if (import.meta.main) {
  const call = await platformClient(await credentialsFromEnvironment())
  const app = fastify()
  app.post<{ Body: { operation: string; input: Input } }>('/call', (request) =>
    call(request.body.operation, request.body.input),
  )
  const url = await app.listen({ host: '127.0.0.1', port: Number(process.env['SERVICE_AGENT_PORT'] ?? 0) })
  console.log(JSON.stringify({ msg: 'listening', url }))
}
