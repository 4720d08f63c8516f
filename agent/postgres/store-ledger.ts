import { keyOfItem } from '../call/call.ts'
import type { Clock } from '../clock/clock.ts'
import { repeat } from '../clock/repeat.ts'
import { afterEarlierEnds, isEnd, type Order } from '../orders/order.ts'
import type { Changed, LedgerChange, OrderLedger, OthersListener } from '../orders/order-ledger.ts'
import type { Database, Query } from './database.ts'
import type { OwedWrites } from './owed-writes.ts'
import type { Row } from './session.ts'
import { storable, storableKey } from './storable.ts'
import { StoreRoom } from './store-room.ts'
import { nameOfKey } from './store-turns.ts'

/** What a ledger in the store works with. */
export interface StoreLedgerOptions {
  readonly database: Database
  readonly clock: Clock
  /** The life of this agent. */
  readonly epoch: string
  /** Only the orders of this world are found. */
  readonly world: string
  /** Called with an order of an item that no agent registered: it goes to the world of this agent. */
  readonly onUnregistered: (order: Order) => void
  /** Takes the errors of what nobody waits for. */
  readonly owed: Pick<OwedWrites, 'onError' | 'write'>
  /** As in `LedgerOptions`. */
  readonly onFull: (cause: Error | undefined) => void
}

const find = 'SELECT record FROM market_agent.orders WHERE'
const registered = 'SELECT FROM market_agent.item WHERE item_ref = $1'
const isOver = `phase IN ('ended', 'closed')`
/** Another program may notify other things on the same channel. */
const orderChanged = /^order (?<transactionId>\d+) (?<by>\d+)$/
/** Orders that an agent which has died leaves are looked for this often, because a notification can be lost. */
const lookMs = 1_000

/** Opens the ledger of all agents that share a store, for one of them. */
export function openStoreLedger(options: StoreLedgerOptions): OrderLedger {
  const { database, clock, epoch, world, owed } = options
  const room = new StoreRoom(database, clock, options.onFull)
  /** The work on each transaction that is under way: one after another. */
  const underWay = new Map<number, Promise<unknown>>()
  /** The orders that this agent knows to be open, its own and others. After an outage it looks at all of them. */
  const followed = new Map<number, { readonly order: Order; readonly isOurs: boolean }>()
  const listeners: OthersListener[] = []
  let lastDrawn: Promise<unknown> = Promise.resolve()
  const all = async (sql: string, values: readonly unknown[]): Promise<readonly Order[]> =>
    (await database.query(sql, values)).map(orderOf)
  const transact = <Result>(work: (query: Query) => Promise<Result>) => room.write(() => database.transact(work))

  async function inTurn<Result>(transactionId: number, work: () => Promise<Result>): Promise<Result> {
    const before = underWay.get(transactionId) ?? Promise.resolve()
    const result = before.catch(() => undefined).then(work)
    underWay.set(transactionId, result)
    try {
      return await result
    } finally {
      if (underWay.get(transactionId) === result) underWay.delete(transactionId)
    }
  }

  async function changeNow(
    query: Query,
    transactionId: number,
    change: (known: Order | undefined) => LedgerChange,
  ): Promise<Changed & { readonly isUnregistered?: boolean; readonly wasMissing?: boolean }> {
    const [row] = await query('SELECT record, epoch FROM market_agent.lock_order($1, $2)', [epoch, transactionId])
    const before = row && orderOf(row)
    const { order: wanted, observedQuantity, observedMark, survives } = change(before)
    const isOurs = row?.['epoch'] === epoch
    if (wanted === undefined || (wanted === before && observedQuantity === undefined))
      return { order: before, isOurs, wasMissing: !row }
    if (survives === 'kill') await query('SET LOCAL synchronous_commit = off')
    if (wanted === null) {
      await query('SELECT market_agent.remove_order($1, $2)', [epoch, transactionId])
      return { order: undefined, isOurs }
    }
    const order = isEnd(before, wanted) ? afterEarlierEnds(wanted, await newestEndMs(query, wanted)) : wanted
    const sql = 'SELECT epoch FROM market_agent.put_order($1, $2, $3, $4, $5, $6, $7)'
    const [written] = order === before ? [row] : await query(sql, [epoch, ...columnsOf(order)])
    if (observedQuantity !== undefined) await observe(query, order.itemRef, observedQuantity, observedMark)
    const isUnregistered = !row && (await query(registered, [storable(order.itemRef)])).length === 0
    return { order, isOurs: written?.['epoch'] === epoch, isUnregistered }
  }

  async function newestEndMs(query: Query, { transactionId, itemRef }: Order): Promise<number | null> {
    const sql = 'SELECT market_agent.newest_end($1, $2, $3) AS since_ms'
    const [row] = await query(sql, [epoch, transactionId, storable(itemRef)])
    return (row?.['since_ms'] as number | null | undefined) ?? null
  }

  /** Notes whether something may still happen to an order. */
  function follow(transactionId: number, { order, isOurs }: Changed): void {
    if (order && order.phase !== 'closed') followed.set(transactionId, { order, isOurs })
    else followed.delete(transactionId)
  }

  /**
   * Puts an order back that a failover has lost: the platform may not tell it again. If another agent has removed it meanwhile,
   * the platform says so when it is asked, and it is removed again.
   */
  async function putBack(transactionId: number): Promise<Changed> {
    const known = followed.get(transactionId)
    if (!known?.isOurs) return { order: undefined, isOurs: false }
    return transact((query) => changeNow(query, transactionId, (found) => ({ order: found ?? known.order })))
  }

  /** Tells what became of transactions. In turn, so that nothing newer was told before. */
  async function look(transactionIds: Iterable<number>, ifMissing?: typeof putBack): Promise<void> {
    const sql = 'SELECT record, epoch FROM market_agent.orders WHERE transaction_id = $1'
    let isOneFree = false
    const lookAt = async (transactionId: number) => {
      const [row] = await database.query(sql, [transactionId])
      const found = { order: row && orderOf(row), isOurs: row?.['epoch'] === epoch }
      const changed = row ? found : ((await ifMissing?.(transactionId)) ?? found)
      follow(transactionId, changed)
      for (const listener of listeners) listener(transactionId, changed.order, changed.isOurs)
      isOneFree ||= row !== undefined && row['epoch'] === null
    }
    await Promise.all(Array.from(transactionIds, (id) => inTurn(id, () => lookAt(id))))
    if (isOneFree) await adoptNew()
  }

  /** Takes over what no living agent of this world hands over. */
  async function adoptNew(): Promise<void> {
    const adopted = await transact((query) => query('SELECT market_agent.adopt($1) AS record', [epoch]))
    await look(adopted.map((row) => orderOf(row).transactionId))
  }

  async function findOurs(): Promise<readonly Order[]> {
    const open = await all(`${find} epoch = $1 AND NOT ${isOver} ORDER BY received_at_ms, transaction_id`, [epoch])
    return [
      ...open,
      ...(await all(`${find} epoch = $1 AND phase = 'ended' ORDER BY since_ms, transaction_id`, [epoch])),
    ]
  }

  async function heed(payload: string | undefined): Promise<void> {
    const { transactionId, by } = orderChanged.exec(payload ?? '')?.groups ?? {}
    if (payload === undefined)
      await look(new Set([...(await findOurs()).map((order) => order.transactionId), ...followed.keys()]), putBack)
    if (payload === undefined || payload === 'ended') await adoptNew()
    else if (Number.isSafeInteger(Number(transactionId)) && by !== epoch) await look([Number(transactionId)])
  }

  const stopListening = database.listen((payload) => void heed(payload).catch(owed.onError))
  let stopLooking: () => void = () => undefined

  return {
    find: async (transactionId) => (await all(`${find} transaction_id = $1`, [transactionId]))[0],
    findOpen: () => all(`${find} world = $1 AND NOT ${isOver} ORDER BY received_at_ms, transaction_id`, [world]),
    async findOpenInWorlds() {
      const sql = `SELECT world, record FROM market_agent.orders WHERE NOT ${isOver}
        ORDER BY world, received_at_ms, transaction_id`
      return (await database.query(sql)).map((row) => ({ world: String(row['world']), order: orderOf(row) }))
    },
    findOverSince: (sinceMs, max) =>
      all(`${find} world = $1 AND ${isOver} AND since_ms >= $2 ORDER BY since_ms, transaction_id LIMIT $3`, [
        ...[world, sinceMs, max],
      ]),
    change: (transactionId, change) =>
      inTurn(transactionId, async () => {
        await room.assert()
        const { isUnregistered, wasMissing, ...changed } = await transact((query) =>
          changeNow(query, transactionId, change),
        )
        // A failover may have lost it. It is looked for after the outage.
        if (!wasMissing) follow(transactionId, changed)
        if (isUnregistered && changed.order) options.onUnregistered(changed.order)
        return changed
      }),

    async adopt() {
      await adoptNew()
      stopLooking()
      stopLooking = repeat(clock, lookMs, () => adoptNew().catch(owed.onError))
      const ours = await findOurs()
      for (const order of ours) follow(order.transactionId, { order, isOurs: true })
      return ours
    },

    onOthers: (listener) => void listeners.push(listener),

    async observationOf(itemRef) {
      const sql = 'SELECT observed_quantity, version FROM market_agent.observation WHERE item_ref = $1'
      const [row] = await database.query(sql, [storable(itemRef)])
      return row ? { quantity: Number(row['observed_quantity']), mark: Number(row['version']) } : null
    },

    drawMark() {
      const draw = async () => {
        const [row] = await database.query('SELECT market_agent.draw_version() AS mark')
        return Number(row?.['mark'])
      }
      // Two statements at once may overtake each other.
      const drawn = lastDrawn.then(draw, draw)
      lastDrawn = drawn
      return drawn
    },

    async observe(itemRef, { quantity, mark }, ifAway = 'refuse') {
      const sql = 'SELECT market_agent.observe_item($1, $2, $3, $4) AS is_noted'
      const values = [epoch, storable(itemRef), quantity, mark]
      let isNoted = true
      const write = () =>
        room.write(async () => {
          const [row] = await database.query(sql, values)
          isNoted = row?.['is_noted'] === true
        })
      if (ifAway === 'refuse') {
        await room.assert()
        await write()
      } else {
        // Nothing that follows from it may be done before it.
        await owed.write(nameOfKey(storableKey(keyOfItem(itemRef))), write)
      }
      return { isNoted, durable: Promise.resolve() }
    },

    async removeClosedBefore(beforeMs) {
      // In parts, because a statement has little time.
      const removed: number[] = []
      for (let part: readonly Row[] | undefined; !part || part.length > 0; ) {
        part = await transact((query) =>
          query('SELECT market_agent.remove_closed($1, $2) AS transaction_id', [epoch, beforeMs]),
        )
        removed.push(...part.map((row) => Number(row['transaction_id'])))
      }
      return removed
    },

    async close() {
      stopListening()
      stopLooking()
      await Promise.allSettled(underWay.values())
      room.close()
    },
  }
}

async function observe(query: Query, itemRef: string, observedQuantity: number, mark?: number): Promise<void> {
  const sql = 'SELECT market_agent.note_observation($1, $2, coalesce($3, market_agent.draw_version()))'
  await query(sql, [storable(itemRef), observedQuantity, mark])
}

function columnsOf(order: Order): readonly unknown[] {
  const { transactionId, phase, itemRef, receivedAtMs, sinceMs } = order
  return [transactionId, JSON.stringify(order), phase, storable(itemRef), receivedAtMs, sinceMs]
}

function orderOf(row: Row): Order {
  return JSON.parse(String(row['record'])) as Order
}

/** Notes a stock that leaves now, for the ledgers of other agents. @throws As `Database.query`. */
export async function noteStock(database: Database, epoch: string, itemRef: string, quantity: number): Promise<void> {
  const sql = 'SELECT market_agent.observe_item($1, $2, $3, market_agent.draw_version())'
  await database.query(sql, [epoch, storable(itemRef), quantity])
}

/** How many orders of a world are open. */
export async function countOpenOrders(database: Database, world: string): Promise<number> {
  const sql = `SELECT count(*) AS count FROM market_agent.orders WHERE world = $1 AND NOT ${isOver}`
  const [row] = await database.query(sql, [world])
  return Number(row?.['count'])
}
