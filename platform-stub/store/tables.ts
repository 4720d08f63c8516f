import type { DatabaseSync } from 'node:sqlite'
import { characterTables } from './characters.ts'
import { gameServerTables } from './game-servers.ts'
import { listingTable } from './listings.ts'
import { platformTable } from './platform.ts'
import { replayTable } from './replays.ts'
import { transactionTables } from './transactions.ts'
import { webhookTables } from './webhooks.ts'

/** Every statement of the stub, prepared once, by table group. Reading is allowed anywhere, writing in transactions. */
export type Tables = ReturnType<typeof prepareTables>

/**
 * @param somethingIsDue Told when a row with a due time was written, so that whoever waits looks again.
 */
export function prepareTables(database: DatabaseSync, somethingIsDue: () => void) {
  return {
    platform: platformTable(database),
    gameServers: gameServerTables(database),
    characters: characterTables(database),
    listings: listingTable(database),
    transactions: transactionTables(database, somethingIsDue),
    webhooks: webhookTables(database, somethingIsDue),
    replays: replayTable(database),
  }
}

/** Empties everything but game servers, their keys and the platform's own. Ids go on rising: none is given twice. */
export function emptyTables(database: DatabaseSync, tables: Tables): void {
  for (const table of emptiedByReset) database.exec(`delete from ${table}`)
  tables.replays.clear()
}

/** Children before parents. */
const emptiedByReset = [
  'webhookAttempts',
  'webhookDeliveries',
  'dueMoves',
  'moneyMoves',
  'transactionHistory',
  'transactions',
  'listings',
  'characterLinks',
  'characters',
  'replays',
] as const
