import type { DatabaseSync } from 'node:sqlite'
import { characterTables } from './character-rows.ts'
import { gameServerTables } from './game-server-rows.ts'
import { listingTable } from './listing-rows.ts'
import { oneOffTable } from './one-off-rows.ts'
import { platformTable } from './platform-row.ts'
import { replayTable } from './replay-rows.ts'
import { transactionTables } from './transaction-rows.ts'
import { webhookTables } from './webhook-rows.ts'

/** Every statement of the stub, prepared once, by table group. Reading is allowed anywhere, writing in transactions. */
export type Tables = ReturnType<typeof prepareTables>

/**
 * @param onDue Called when a row with a due time was written.
 */
export function prepareTables(database: DatabaseSync, onDue: () => void) {
  return {
    platform: platformTable(database),
    gameServers: gameServerTables(database),
    characters: characterTables(database),
    listings: listingTable(database),
    transactions: transactionTables(database, onDue),
    webhooks: webhookTables(database, onDue),
    oneOffs: oneOffTable(database),
    replays: replayTable(database),
  }
}

/**
 * Empties everything but game servers, their keys and the platform's own. Ids continue to rise: none is given twice.
 */
export function emptyTables(database: DatabaseSync): void {
  for (const table of emptiedByReset) database.exec(`delete from ${table}`)
}

/** Children before parents. */
const emptiedByReset = [
  'oneOffWebhooks',
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
