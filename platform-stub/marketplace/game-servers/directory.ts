import { createPublicKey, type KeyObject } from 'node:crypto'
import type { GameServerRow, SigningKeyRow } from '../../store/game-server-rows.ts'

/** Game servers by what they show at the door: API key and kid. */
export type Directory = ReturnType<typeof makeDirectory>

/**
 * Makes the directory of game servers. It is kept in memory, because every partner request needs it: filled from the
 * database at the start and after each change that is committed.
 */
export function makeDirectory(stored: readonly GameServerRow[], storedKeys: readonly SigningKeyRow[]) {
  const servers = new Map<number, GameServerRow>()
  const idByApiKey = new Map<string, number>()
  const idByKid = new Map<string, number>()
  const keys = new Map<string, KeyObject>()

  function put(server: GameServerRow): void {
    servers.set(server.id, server)
    idByApiKey.set(server.apiKey, server.id)
  }

  function putKey(key: SigningKeyRow): void {
    keys.set(key.kid, createPublicKey(key.publicKeyPem))
    idByKid.set(key.kid, key.gameServerId)
  }

  for (const server of stored) put(server)
  for (const key of storedKeys) putKey(key)
  return {
    put,
    putKey,
    /** Verifying keys by kid. */
    keys: keys as ReadonlyMap<string, KeyObject>,
    byId: (id: number) => servers.get(id),
    all: () => [...servers.values()],
    /**
     * The game server of an API key. A hash of the whole of it is looked up: the time says nothing about how near a
     * guess is.
     */
    idOfApiKey: (apiKey: string) => idByApiKey.get(apiKey),
    idOfKid: (kid: string) => idByKid.get(kid),
  }
}
