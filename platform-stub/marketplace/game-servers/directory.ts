import { createPublicKey, type KeyObject } from 'node:crypto'
import type { GameServerRow, SigningKeyRow } from '../../store/game-server-rows.ts'

/**
 * Game servers by what they show at the door: API key and kid. Kept in memory, for every partner request asks; filled
 * from the database at start and after each change that is committed.
 */
export class Directory {
  readonly #servers = new Map<number, GameServerRow>()
  readonly #idByApiKey = new Map<string, number>()
  readonly #idByKid = new Map<string, number>()
  readonly #keys = new Map<string, KeyObject>()

  constructor(servers: readonly GameServerRow[], keys: readonly SigningKeyRow[]) {
    for (const server of servers) this.put(server)
    for (const key of keys) this.putKey(key)
  }

  put(server: GameServerRow): void {
    this.#servers.set(server.id, server)
    this.#idByApiKey.set(server.apiKey, server.id)
  }

  putKey(key: SigningKeyRow): void {
    this.#keys.set(key.kid, createPublicKey(key.publicKeyPem))
    this.#idByKid.set(key.kid, key.gameServerId)
  }

  /** Verifying keys by kid. */
  get keys(): ReadonlyMap<string, KeyObject> {
    return this.#keys
  }

  byId(id: number): GameServerRow | undefined {
    return this.#servers.get(id)
  }

  all(): GameServerRow[] {
    return [...this.#servers.values()]
  }

  /** The game server of an API key. A hash of the whole of it is looked up: the time says nothing of how near a guess is. */
  idOfApiKey(apiKey: string): number | undefined {
    return this.#idByApiKey.get(apiKey)
  }

  idOfKid(kid: string): number | undefined {
    return this.#idByKid.get(kid)
  }
}
