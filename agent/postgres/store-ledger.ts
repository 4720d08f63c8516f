import type { Clock } from '../clock/clock.ts'
import type { Order } from '../orders/order.ts'
import type { LedgerChange, OrderLedger } from '../orders/order-ledger.ts'
import type { Database, Query, Row } from './database.ts'
import { storable } from './storable.ts'
import { StoreRoom } from './store-room.ts'

/** What a ledger in the store works with. */
export interface StoreLedgerOptions {
  readonly database: Database
  readonly clock: Clock
  /** The life of this agent. */
  readonly epoch: string
  /** Only the orders of this world are found. */
  readonly world: string
  /** As in `LedgerOptions`. */
  readonly onFull: (cause: Error | undefined) => void
}

const find = 'SELECT record FROM market_agent.orders WHERE'
const isOver = `phase IN ('ended', 'closed')`
const oldestFirst = 'ORDER BY since_ms, transaction_id'
const put = `
  INSERT INTO market_agent.orders (transaction_id, record, phase, item_ref, received_at_ms, since_ms, world)
    VALUES ($1, $2, $3, $4, $5, $6, $7)
    ON CONFLICT (transaction_id) DO UPDATE SET record = excluded.record, phase = excluded.phase,
      item_ref = excluded.item_ref, received_at_ms = excluded.received_at_ms, since_ms = excluded.since_ms`

/** Opens the ledger of all agents that share a store, for one of them. */
export function openStoreLedger({ database, clock, epoch, world, onFull }: StoreLedgerOptions): OrderLedger {
  const room = new StoreRoom(database, clock, onFull)
  /** The last change of each transaction that is under way: they are made one after another. */
  const changing = new Map<number, Promise<void>>()

  async function changeNow(transactionId: number, change: Parameters<OrderLedger['change']>[1]): Promise<void> {
    await room.assert()
    await room.write(() =>
      database.transact(async (query) => {
        const [row] = await query('SELECT market_agent.lock_order($1, $2) AS record', [epoch, transactionId])
        const before = typeof row?.['record'] === 'string' ? orderOf(row) : undefined
        const changed = change(before)
        if (changed.order === undefined || (changed.order === before && changed.observedQuantity === undefined)) return
        if (changed.survives === 'kill') await query('SET LOCAL synchronous_commit = off')
        await write(query, transactionId, before, changed)
        await query(`SELECT pg_notify('market_agent', $1)`, [`order ${transactionId}`])
      }),
    )
  }

  async function write(query: Query, transactionId: number, before: Order | undefined, changed: LedgerChange) {
    const { order, observedQuantity } = changed
    if (order === null) await query('DELETE FROM market_agent.orders WHERE transaction_id = $1', [transactionId])
    else if (order && order !== before) await query(put, [...columnsOf(order), world])
    if (order && observedQuantity !== undefined) await observe(query, order.itemRef, observedQuantity)
  }

  const all = async (sql: string, values: readonly unknown[]): Promise<readonly Order[]> =>
    (await database.query(sql, values)).map(orderOf)

  return {
    find: async (transactionId) => (await all(`${find} transaction_id = $1`, [transactionId]))[0],
    findOpen: () => all(`${find} world = $1 AND NOT ${isOver} ORDER BY received_at_ms, transaction_id`, [world]),
    findOverSince: (sinceMs, max) =>
      all(`${find} world = $1 AND ${isOver} AND since_ms >= $2 ${oldestFirst} LIMIT $3`, [world, sinceMs, max]),
    findEnded: () => all(`${find} world = $1 AND phase = 'ended' ${oldestFirst}`, [world]),

    async change(transactionId, change) {
      const before = changing.get(transactionId) ?? Promise.resolve()
      const made = before.catch(() => undefined).then(() => changeNow(transactionId, change))
      changing.set(transactionId, made)
      try {
        await made
      } finally {
        if (changing.get(transactionId) === made) changing.delete(transactionId)
      }
    },

    async observationOf(itemRef) {
      const sql = 'SELECT observed_quantity FROM market_agent.observation WHERE item_ref = $1'
      const [row] = await database.query(sql, [storable(itemRef)])
      return row ? Number(row['observed_quantity']) : null
    },

    async observe(itemRef, observedQuantity) {
      await room.assert()
      await room.write(() =>
        database.transact(async (query) => {
          await query('SET LOCAL synchronous_commit = off')
          await query('SELECT market_agent.assert_alive($1)', [epoch])
          await observe(query, itemRef, observedQuantity)
        }),
      )
    },

    async removeClosedBefore(beforeMs) {
      const removed = await room.write(() =>
        database.transact(async (query) => {
          await query('SELECT market_agent.assert_alive($1)', [epoch])
          const closed = `DELETE FROM market_agent.orders WHERE world = $1 AND phase = 'closed' AND since_ms < $2
            RETURNING transaction_id`
          const rows = await query(closed, [world, beforeMs])
          if (rows.length > 0)
            await query(`DELETE FROM market_agent.observation AS known
              WHERE NOT EXISTS (SELECT FROM market_agent.orders WHERE item_ref = known.item_ref)`)
          return rows
        }),
      )
      return removed.map((row) => Number(row['transaction_id']))
    },

    async close() {
      await Promise.allSettled(changing.values())
      room.close()
    },
  }
}

async function observe(query: Query, itemRef: string, observedQuantity: number): Promise<void> {
  await query('SELECT market_agent.observe($1, $2)', [storable(itemRef), observedQuantity])
}

function columnsOf(order: Order): readonly unknown[] {
  const { transactionId, phase, itemRef, receivedAtMs, sinceMs } = order
  return [transactionId, JSON.stringify(order), phase, storable(itemRef), receivedAtMs, sinceMs]
}

function orderOf(row: Row): Order {
  return JSON.parse(String(row['record'])) as Order
}
