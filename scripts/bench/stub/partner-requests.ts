import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { BareConnection } from '../load/bare-connection.ts'
import { type Signer, signedRequest } from '../load/signed-request.ts'
import { offer } from '../platform/calls.ts'

/** `reads`: one transaction, again and again. `registrations`: listings, each a new one. */
export type StubWork = 'reads' | 'registrations'

/** A game server whose key the stub knows. */
export interface BenchGameServer extends Signer {
  readonly apiKey: string
}

const keys = generateKeyPairSync('rsa', { modulusLength: 2_048 })
const sellerCharacterRef = 'character-1'

/**
 * Gives a new stub a game server, a character that may sell, a listing, and a purchase to read. Stubs with the same
 * `--seed` give out the same credentials, so what is signed for one can be sent to another.
 */
export async function furnishStub(url: string): Promise<BenchGameServer> {
  const publicKeyPem = keys.publicKey.export({ type: 'spki', format: 'pem' })
  const registered = await control('POST', '/stub/game-servers', { name: 'bench', publicKeyPem })
  const { gameServerId, kid, apiKey } = registered as { gameServerId: number; kid: string; apiKey: string }
  const character = `/stub/game-servers/${gameServerId}/characters/${sellerCharacterRef}`
  await control('PUT', character, { linked: true, recipientApproved: true })
  const server = { kid, apiKey, signingKey: keys.privateKey }
  await post('/v1/api/market/listings', listing('item-1'))
  await post('/v1/api/transactions', { itemRef: 'item-1', quantity: 1, buyerCharacterRef: 'character-2' })
  return server

  async function post(path: string, input: object): Promise<void> {
    const { status, body } = await BareConnection.exchangeOnce(url, await requestOf(server, 'POST', path, input))
    if (status !== 200) throw new Error(`POST ${path}: HTTP ${status} ${body}`)
  }

  async function control(method: string, path: string, body: object): Promise<unknown> {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`${method} ${path}: HTTP ${response.status} ${await response.text()}`)
    return ((await response.json()) as { data: unknown }).data
  }
}

/**
 * Whole requests, signed ahead of time: a signature costs ten times its verification, so a generator that signs while
 * it measures would measure itself.
 */
export function signedRequests(work: StubWork, count: number, server: BenchGameServer): Promise<Buffer[]> {
  const one = (): Promise<Buffer> =>
    work === 'reads'
      ? requestOf(server, 'GET', '/v1/api/transactions/1')
      : requestOf(server, 'POST', '/v1/api/market/listings', listing(randomUUID()))
  return Promise.all(Array.from({ length: count }, one))
}

const listing = (itemRef: string): object => ({ ...offer, itemRef, sellerCharacterRef })
function requestOf(server: BenchGameServer, method: string, path: string, input?: object): Promise<Buffer> {
  return signedRequest(server, [method, path], input, { 'X-Service-Api-Key': server.apiKey })
}
