import type { KeyObject } from 'node:crypto'
import { createPublicKey } from 'node:crypto'
import { openLine } from './drive.ts'
import { type BenchGameServer, offer, readyRequest } from './ready-requests.ts'

const sellerCharacterRef = 'character-1'
const itemRef = 'item-1'

/**
 * Gives a new stub a game server with our key, a character that may sell, a listing, and a purchase to be read.
 *
 * Stubs with the same `--seed` are furnished alike, down to the kid: what is signed for one can be sent to the other.
 */
export async function furnish(stubUrl: string, signingKey: KeyObject): Promise<BenchGameServer> {
  const publicKeyPem = createPublicKey(signingKey).export({ type: 'spki', format: 'pem' })
  const { gameServerId, kid, apiKey } = await control(stubUrl, 'POST', '/stub/game-servers', {
    name: 'bench',
    publicKeyPem,
  })
  await control(stubUrl, 'PUT', `/stub/game-servers/${gameServerId}/characters/${sellerCharacterRef}`, {
    linked: true,
    recipientApproved: true,
  })
  const server: BenchGameServer = { kid, apiKey, signingKey, sellerCharacterRef, transactionId: 1 }
  const purchase = { itemRef, quantity: 1, buyerCharacterRef: 'character-2' }
  const line = await openLine(stubUrl)
  await line.ask(await readyRequest('market.register', { ...offer, itemRef, sellerCharacterRef }, server))
  await line.ask(await readyRequest('transaction.create', purchase, server))
  line.close()
  return server
}

interface Registered {
  readonly gameServerId: number
  readonly kid: string
  readonly apiKey: string
}

async function control(stubUrl: string, method: string, path: string, body: object): Promise<Registered> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${stubUrl}${path}`, { method, headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${method} ${path}: HTTP ${response.status} ${await response.text()}`)
  return ((await response.json()) as { data: Registered }).data
}
