import { createPublicKey } from 'node:crypto'
import { limits } from '../../../contract/limits.ts'
import type { GameServerRow, SigningKeyRow } from '../../store/game-server-rows.ts'
import type { PlatformKeyRow } from '../../store/platform-row.ts'
import type { Platform } from '../platform.ts'
import { Refusal, refuse } from '../refusal.ts'
import type { Directory } from './directory.ts'

interface KeyPair {
  readonly publicKeyPem: string
  /** Null where only the public half was given. */
  readonly privateKeyPem: string | null
}

/** What a game server is registered with. */
export interface Registration {
  readonly name: string
  /** Where its webhooks go. Without one they wait. */
  readonly webhookUrl?: string | null | undefined
  /** The public half of a pair that the game server made itself; without it the stub makes one. */
  readonly publicKeyPem?: string | undefined
}

/**
 * Does what the platform's staff do on request: registers a game server, issues its API key, takes or makes its key
 * pair, and says by which key the platform signs.
 *
 * @returns The credentials; or WEBHOOK_URL_INVALID, SIGNING_KEY_INVALID or STORE_FULL.
 * @see docs/decisions/0009
 */
export async function registerGameServer(
  platform: Platform,
  directory: Directory,
  platformKey: PlatformKeyRow,
  registration: Registration,
) {
  const prepared = await prepareRegistration(platform, registration)
  if (prepared instanceof Refusal) return prepared
  const written = platform.transact(() => writeRegistration(platform, prepared))
  if (written instanceof Refusal) return written
  const { server, key } = written
  directory.put(server)
  directory.putKey(key)
  return registeredGameServer(platform, server, platformKey)
}

/** A game server as the control routes show it, with all that its agent needs. */
export function registeredGameServer(platform: Platform, server: GameServerRow, platformKey: PlatformKeyRow) {
  const { id: gameServerId, name, webhookUrl } = server
  const key = platform.tables.gameServers.keyOf(gameServerId)
  if (!key) throw new Error(`game server ${gameServerId} has no signing key`)
  return { gameServerId, name, webhookUrl, baseUrl: platform.publicUrl(), ...credentialsOf(server, key, platformKey) }
}

/** What a registered game server needs to speak with the platform. */
export function credentialsOf(server: GameServerRow, key: SigningKeyRow, platformKey: PlatformKeyRow) {
  return {
    apiKey: server.apiKey,
    kid: key.kid,
    privateKeyPem: key.privateKeyPem,
    platformKeyKid: platformKey.kid,
    platformPublicKeyPem: platformKey.publicKeyPem,
  }
}

/** A valid registration with its key pair. */
export interface PreparedRegistration {
  readonly name: string
  readonly webhookUrl: string | null
  readonly pair: KeyPair
}

/** Reads a registration and makes the key pair where none was given. @returns WEBHOOK_URL_INVALID or SIGNING_KEY_INVALID. */
export async function prepareRegistration(
  { signing }: Platform,
  registration: Registration,
): Promise<PreparedRegistration | Refusal> {
  const { name, publicKeyPem } = registration
  const webhookUrl = webhookUrlOf(registration.webhookUrl ?? null)
  if (webhookUrl instanceof Refusal) return webhookUrl
  const pair = publicKeyPem === undefined ? await signing.newPair() : readPublicKey(publicKeyPem)
  if (pair instanceof Refusal) return pair
  return { name, webhookUrl, pair }
}

/** Writes a registration. Inside a transaction; the directory learns about it afterwards. */
export function writeRegistration(platform: Platform, { name, webhookUrl, pair }: PreparedRegistration) {
  const { tables, random, clock } = platform
  const id = tables.gameServers.nextId()
  const createdAt = clock.nowMs()
  const server: GameServerRow = {
    id,
    name,
    apiKey: `stub_${random.token('api-key', id)}`,
    webhookUrl,
    createdAt,
  }
  const kid = `game-server-${id}-${random.token('kid', id).slice(0, 8)}`
  const key: SigningKeyRow = { kid, gameServerId: id, ...pair, createdAt }
  tables.gameServers.insert(server)
  tables.gameServers.insertKey(key)
  return { server, key }
}

/**
 * Says where a game server's webhooks go from now on; what waited for an address goes out.
 *
 * @param webhookUrl Null stops them: deliveries wait.
 * @returns WEBHOOK_URL_INVALID or STORE_FULL where it stays as it is.
 */
export function setWebhookUrl(
  platform: Platform,
  directory: Directory,
  server: GameServerRow,
  webhookUrl: string | null,
): Refusal | undefined {
  const url = webhookUrlOf(webhookUrl)
  if (url instanceof Refusal) return url
  const refusal = platform.transact(() => platform.tables.gameServers.setWebhookUrl(server.id, url))
  if (refusal) return refusal
  directory.put({ ...server, webhookUrl: url })
  return undefined
}

/** A webhook address as it is kept; WEBHOOK_URL_INVALID for a text that is none. */
export function webhookUrlOf(webhookUrl: string | null): string | null | Refusal {
  return webhookUrl === null ? null : (httpUrlOf(webhookUrl)?.href ?? refuse('WEBHOOK_URL_INVALID'))
}

function readPublicKey(publicKeyPem: string): KeyPair | Refusal {
  // createPublicKey accepts a private key too, and derives the public half. A private key must not be sent here.
  if (publicKeyPem.includes('PRIVATE KEY')) return refuse('SIGNING_KEY_INVALID')
  try {
    const key = createPublicKey(publicKeyPem)
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0
    if (key.asymmetricKeyType === 'rsa' && bits >= limits.signingKeyBitsMin)
      return { publicKeyPem, privateKeyPem: null }
  } catch {
    // Not a key at all. It is refused like an invalid one.
  }
  return refuse('SIGNING_KEY_INVALID')
}

/**
 * The key that the platform signs its webhooks with: the stored one, or a new one, which is stored before it is used.
 */
export async function loadPlatformKey(platform: Platform): Promise<PlatformKeyRow> {
  const stored = platform.tables.platform.key()
  if (stored) return stored
  const pair = await platform.signing.newPair()
  const key = { kid: `platform-${platform.random.token('platform-kid', 1).slice(0, 8)}`, ...pair }
  const refusal = platform.transact(() => platform.tables.platform.setKey(key))
  if (refusal) throw new Error('the platform key cannot be stored', { cause: refusal })
  return key
}

/** An http or https address; undefined for any other text. Its `href` is how it is kept: one spelling for all. */
export function httpUrlOf(text: string): URL | undefined {
  const url = URL.parse(text)
  return url && /^https?:$/.test(url.protocol) ? url : undefined
}
