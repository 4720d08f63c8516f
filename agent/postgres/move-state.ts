import { hash } from 'node:crypto'
import { limits } from '../../contract/limits.ts'
import { inDoubt } from '../call/answer.ts'
import { keyOfItem } from '../call/call.ts'
import { StoreUnusableError } from '../database/store-errors.ts'
import type { Order } from '../orders/order.ts'
import type { Database, Query } from './database.ts'
import type { KeptState } from './kept-state.ts'
import { fromStorable, itemOfRow, noteLongItem, storable, storableKey } from './storable.ts'

/** Whose state is moved. */
export interface StateOwner {
  /** As in `LeaseOptions`. */
  readonly stateDirId: string
  readonly world: string
}

const keyStart = keyOfItem('')
const inDoubtText = JSON.stringify(inDoubt)
const keepOthersFromBeginning = 'SELECT market_agent.lock_lives()'

/**
 * Adds what an agent kept to the store, in one transaction. Rows that are there stay as they are, so it can be repeated. If
 * nothing but ids has changed since it was done, only ids are added: agents may have repaired and delivered the rest.
 * Nothing that the agent sent may still arrive late.
 *
 * @throws As `Database.transact`.
 */
export async function addToStore(
  database: Database,
  { stateDirId, world }: StateOwner,
  kept: KeptState,
): Promise<void> {
  await database.transact(async (query) => {
    await query(keepOthersFromBeginning)
    for (const { id, fingerprint, operation, answer, restMs } of kept.calls)
      await query(
        `INSERT INTO market_agent.call (id, fingerprint, operation, state_dir_id, in_doubt, answer, ends_at_ms)
           VALUES ($1, $2, $3, $4, false, $5, market_agent.now_ms() + $6::bigint)
           ON CONFLICT (id) DO UPDATE
             SET fingerprint = excluded.fingerprint, operation = excluded.operation,
               state_dir_id = excluded.state_dir_id, answer = excluded.answer, ends_at_ms = excluded.ends_at_ms
             WHERE call.ends_at_ms < market_agent.now_ms()`,
        [storable(id), fingerprint, operation, stateDirId, answer, restMs],
      )
    const noteMove = 'INSERT INTO market_agent.moved (content) VALUES ($1) ON CONFLICT DO NOTHING RETURNING content'
    if ((await query(noteMove, [hashOf(kept)])).length === 0) return
    for (const { itemRef, quantity, restMs } of kept.repairs) {
      await noteLongItem(query, itemRef)
      await query(
        `INSERT INTO market_agent.repair AS known (key, quantity, due_at_ms)
           VALUES ($1, $2, market_agent.steady_ms() + $3::bigint)
           ON CONFLICT (key) DO UPDATE
             SET quantity = coalesce(known.quantity, excluded.quantity),
               due_at_ms = greatest(known.due_at_ms, excluded.due_at_ms), version = excluded.version`,
        [storableKey(keyOfItem(itemRef)), quantity, restMs],
      )
    }
    for (const order of kept.orders) {
      const { transactionId, phase, itemRef, receivedAtMs, sinceMs } = order
      await query(
        `INSERT INTO market_agent.orders (transaction_id, world, record, phase, item_ref, received_at_ms, since_ms)
           VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`,
        [transactionId, world, JSON.stringify(order), phase, storable(itemRef), receivedAtMs, sinceMs],
      )
      // It was registered here, so its next order comes here.
      await query(
        `INSERT INTO market_agent.item (item_ref, world, is_accepted)
           SELECT $1, $2, true WHERE NOT EXISTS (SELECT FROM market_agent.item WHERE item_ref = $1 AND is_accepted)
           ON CONFLICT (item_ref, world) DO UPDATE SET is_accepted = true`,
        [storable(itemRef), world],
      )
    }
    for (const { itemRef, quantity } of kept.observations)
      await query(
        'INSERT INTO market_agent.observation (item_ref, observed_quantity) VALUES ($1, $2) ON CONFLICT DO NOTHING',
        [storable(itemRef), quantity],
      )
    await query(`SELECT pg_notify('market_agent', 'ended')`)
  })
}

/**
 * Takes what belongs to one world out of the store. Ids stay too, because another world may repeat them. Calls that may
 * have been sent are in doubt.
 *
 * @param keep Makes it durable elsewhere. Only then it is removed.
 * @throws {StoreUnusableError} An agent of the world is alive.
 * @throws As `Database.transact`.
 */
export async function takeFromStore(
  database: Database,
  world: string,
  keep: (kept: KeptState) => void,
): Promise<KeptState> {
  // After an outage every agent has time to be heard.
  await database.query('SELECT market_agent.hear()')
  return database.transact(async (query) => {
    await query(keepOthersFromBeginning)
    const alive = await query(
      'SELECT name FROM market_agent.agent WHERE world = $1 AND lease_ends_ms > market_agent.now_ms()',
      [world],
    )
    if (alive.length > 0)
      throw new StoreUnusableError(`agent ${String(alive[0]?.['name'])} still uses the store; stop it first`)
    const dead = 'SELECT market_agent.end_epoch(epoch, $2) FROM market_agent.agent WHERE world = $1'
    await query(dead, [world, inDoubtText])
    const kept = await readStore(query, world)
    keep(kept)
    await query(`DELETE FROM market_agent.repair WHERE ${isRepairOfWorld}`, [keyStart, world])
    await query('DELETE FROM market_agent.orders WHERE world = $1', [world])
    await query(
      `DELETE FROM market_agent.observation AS known
         WHERE NOT EXISTS (SELECT FROM market_agent.orders WHERE item_ref = known.item_ref)`,
    )
    // The same state may come again.
    await query('DELETE FROM market_agent.moved')
    return kept
  })
}

/** Of everything but ids and times. */
function hashOf({ repairs, orders, observations }: KeptState): string {
  const items = repairs.map(({ itemRef, quantity }) => ({ itemRef, quantity }))
  return hash('sha256', JSON.stringify({ items, orders, observations }), 'base64url')
}

/** Of an item ($1 begins its key) that belongs to no other world ($2). */
const isRepairOfWorld = `starts_with(key, $1)
  AND coalesce(market_agent.world_of_item(substr(key, length($1) + 1)), $2) = $2`

async function readStore(query: Query, world: string): Promise<KeptState> {
  const calls = await query(
    `SELECT id, fingerprint, operation, coalesce(answer, $1) AS answer,
         coalesce(ends_at_ms - market_agent.now_ms(), $2) AS rest_ms
       FROM market_agent.call WHERE in_doubt OR ends_at_ms >= market_agent.now_ms()`,
    [inDoubtText, limits.idempotencyWindowMs],
  )
  const late = await query(
    `SELECT key, long_item.name AS long_item, (market_agent.late(key)).quantity,
         greatest(0, due_at_ms - market_agent.steady_ms()) AS rest_ms
       FROM market_agent.repair LEFT JOIN market_agent.long_item ON key = $1 || short WHERE ${isRepairOfWorld}`,
    [keyStart, world],
  )
  const [store] = await query('SELECT late_until_ms - market_agent.steady_ms() AS rest_ms FROM market_agent.store')
  const repairs = late.filter(({ quantity }) => quantity !== null)
  const records = await query('SELECT record FROM market_agent.orders WHERE world = $1 FOR UPDATE', [world])
  const orders = records.map(({ record }) => JSON.parse(String(record)) as Order)
  const items = new Map(orders.map(({ itemRef }) => [storable(itemRef), itemRef]))
  const observations = await query(
    `SELECT item_ref, observed_quantity FROM market_agent.observation
       WHERE item_ref IN (SELECT item_ref FROM market_agent.orders WHERE world = $1)`,
    [world],
  )
  return {
    calls: calls.map((row) => ({
      id: fromStorable(String(row['id'])),
      ...{
        fingerprint: String(row['fingerprint']),
        operation: String(row['operation']),
        answer: String(row['answer']),
      },
      restMs: Number(row['rest_ms']),
    })),
    lateMs: Math.max(0, ...[store, ...late].map((row) => Number(row?.['rest_ms']))),
    repairs: repairs.map((row) => ({
      itemRef: itemOfRow(row) ?? '',
      ...{ quantity: Number(row['quantity']), restMs: Number(row['rest_ms']) },
    })),
    orders,
    observations: observations.map((row) => ({
      itemRef: items.get(String(row['item_ref'])) ?? '',
      quantity: Number(row['observed_quantity']),
    })),
  }
}
