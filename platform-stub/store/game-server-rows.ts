import type { DatabaseSync } from 'node:sqlite'
import { statementsOf } from './statements.ts'

/** A registered game server. `webhookUrl` is null while its webhooks wait for an address; `createdAt` is Unix ms. */
export interface GameServerRow {
  readonly id: number
  readonly name: string
  readonly apiKey: string
  readonly webhookUrl: string | null
  readonly createdAt: number
}

/** A key that a game server signs with; each has one. */
export interface SigningKeyRow {
  readonly kid: string
  readonly gameServerId: number
  readonly publicKeyPem: string
  /** Null where the game server made its pair itself. */
  readonly privateKeyPem: string | null
  readonly createdAt: number
}

/** Game servers and the keys that they sign with. */
export function gameServerTables(database: DatabaseSync) {
  const { get, all, run, insert, nextId } = statementsOf(database)
  return {
    /** The id that the next game server gets. */
    nextId: nextId('gameServers'),
    insert: insert<GameServerRow>('gameServers')('id', 'name', 'apiKey', 'webhookUrl', 'createdAt'),
    insertKey: insert<SigningKeyRow>('signingKeys')(
      'kid',
      'gameServerId',
      'publicKeyPem',
      'privateKeyPem',
      'createdAt',
    ),
    all: all<GameServerRow>('select * from gameServers order by id'),
    /** The key that a game server signs with; each has one. */
    keyOf: get<SigningKeyRow, [gameServerId: number]>('select * from signingKeys where gameServerId = ?'),
    allKeys: all<SigningKeyRow>('select * from signingKeys'),
    setWebhookUrl: run<[id: number, webhookUrl: string | null]>('update gameServers set webhookUrl = ?2 where id = ?1'),
  }
}
