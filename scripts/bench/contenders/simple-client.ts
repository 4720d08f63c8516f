import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { FlattenedSign, importPKCS8 } from 'jose'

/** An operation's input. */
export type CallInput = Readonly<Record<string, unknown>>
/** An answer in the agent's form. */
export type CallResult = { ok: true; data: unknown } | { ok: false; message: string; status: number }

const listings = '/v1/api/market/listings'
const withApiKey: ReadonlySet<string> = new Set(['market.adjust-stock', 'market.eligibility'])

/** The method, path and body of an operation. */
function routeOf(operation: string, input: CallInput): [method: string, path: string, body: string] {
  switch (operation) {
    case 'market.adjust-stock':
      return ['PUT', listings, JSON.stringify({ ...input, action: 'ADJUST_STOCK' })]
    case 'market.register':
      return ['POST', listings, JSON.stringify(input)]
    case 'market.eligibility':
      return ['GET', `/v1/api/market/eligibility/${encodeURIComponent(String(input['characterRef']))}`, '']
    default:
      throw new Error(`Unknown operation: ${operation}`)
  }
}

/** Signs operations with jose and sends them with fetch; configured by the agent's own variables. */
export async function platformClientFromEnvironment(): Promise<
  (operation: string, input: CallInput) => Promise<CallResult>
> {
  const { SERVICE_BASE_URL, SERVICE_API_KEY = '', SERVICE_SIGNING_KID = '', SERVICE_SIGNING_KEY_FILE } = process.env
  const key = await importPKCS8(await readFile(SERVICE_SIGNING_KEY_FILE ?? '', 'utf8'), 'RS256')

  return async (operation, input) => {
    const [method, path, body] = routeOf(operation, input)
    const exp = Math.floor(Date.now() / 1000) + 60
    const jws = await new FlattenedSign(new TextEncoder().encode(body))
      .setProtectedHeader({ alg: 'RS256', kid: SERVICE_SIGNING_KID, jti: randomUUID(), exp })
      .sign(key)
    const response = await fetch(SERVICE_BASE_URL + path, {
      method,
      headers: {
        'X-Platform-Signature': `${jws.protected}..${jws.signature}`,
        ...(withApiKey.has(operation) && { 'X-Service-Api-Key': SERVICE_API_KEY }),
        ...(body && { 'Content-Type': 'application/json' }),
      },
      body: body || null,
    })
    const text = await response.text()
    const { data = null, message = '' } = text ? JSON.parse(text) : {}
    return response.ok ? { ok: true, data } : { ok: false, message, status: response.status }
  }
}
