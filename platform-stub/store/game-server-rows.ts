import type { DatabaseSync } from 'node:sqlite'

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
  const nextId = database.prepare(
    `select coalesce(max(seq), 0) + 1 as id from sqlite_sequence where name = 'gameServers'`,
  )
  const insert = database.prepare(
    'insert into gameServers (id, name, apiKey, webhookUrl, createdAt) values (?, ?, ?, ?, ?)',
  )
  const insertKey = database.prepare(
    'insert into signingKeys (kid, gameServerId, publicKeyPem, privateKeyPem, createdAt) values (?, ?, ?, ?, ?)',
  )
  const all = database.prepare('select * from gameServers order by id')
  const allKeys = database.prepare('select * from signingKeys')
  const keyOf = database.prepare('select * from signingKeys where gameServerId = ?')
  const setWebhookUrl = database.prepare('update gameServers set webhookUrl = ? where id = ?')
  return {
    /** The id that the next game server gets. */
    nextId: (): number => Number(nextId.get()?.['id']),
    insert: (row: GameServerRow): void => void insert.run(row.id, row.name, row.apiKey, row.webhookUrl, row.createdAt),
    insertKey: (row: SigningKeyRow): void =>
      void insertKey.run(row.kid, row.gameServerId, row.publicKeyPem, row.privateKeyPem, row.createdAt),
    all: () => all.all() as unknown as GameServerRow[],
    /** The key that a game server signs with; each has one. */
    keyOf: (gameServerId: number) => keyOf.get(gameServerId) as unknown as SigningKeyRow | undefined,
    allKeys: () => allKeys.all() as unknown as SigningKeyRow[],
    setWebhookUrl: (id: number, webhookUrl: string | null): void => void setWebhookUrl.run(webhookUrl, id),
  }
}
