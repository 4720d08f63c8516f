import type { Clock } from '../../../agent/clock/clock.ts'
import { storeRoom } from '../../../agent/database/room.ts'
import { afterEarlierEnds, isEnd, type Order } from '../../../agent/orders/order.ts'
import type { OrderLedger } from '../../../agent/orders/order-ledger.ts'
import { CommitLog } from './commit-log.ts'
import { ModelWriter, type ModelWriterParts } from './model-writer.ts'

/** What a ledger has on its disk. */
export interface LedgerRows {
  readonly orders: Map<number, Order>
  readonly observations: Map<string, number>
}

/** A ledger that no process has opened yet. */
export function newLedgerLog(): CommitLog<LedgerRows> {
  return new CommitLog({ orders: new Map(), observations: new Map() })
}

/** What the model of the ledger works with. */
export interface ModelLedgerOptions extends ModelWriterParts<LedgerRows> {
  readonly clock: Clock
  /** As in `LedgerOptions`. */
  readonly onFull: (cause: Error | undefined) => void
}

/** The ledger over rows in memory: the promises of `OrderLedger`, as `openSqliteOrderLedger` keeps them. */
export function openModelLedger(options: ModelLedgerOptions): OrderLedger {
  const writer = new ModelWriter(options)
  const tryToWrite = () => writer.commit('look for room', () => undefined)
  const room = storeRoom({ clock: options.clock, tryToWrite, onChange: options.onFull })
  let synced: Promise<unknown> = Promise.resolve()
  const versions = new Map<string, number>()
  const noteVersion = (itemRef: string) => void versions.set(itemRef, (versions.get(itemRef) ?? 0) + 1)

  function commit(what: string, change: (rows: LedgerRows) => void): void {
    room.commit(() => writer.commit(what, change))
    room.report(undefined)
  }

  function all(isMeant: (order: Order) => boolean, by: 'receivedAtMs' | 'sinceMs'): Order[] {
    const inOrder = (one: Order, other: Order) => one[by] - other[by] || one.transactionId - other.transactionId
    return [...writer.read().orders.values()].filter(isMeant).sort(inOrder)
  }

  return {
    async find(transactionId) {
      const order = writer.read().orders.get(transactionId)
      await synced
      return order
    },
    findOpen: async () => all((order) => !isOver(order), 'receivedAtMs'),
    findOpenInWorlds: async () => all((order) => !isOver(order), 'receivedAtMs').map((order) => ({ world: '', order })),
    findOverSince: async (sinceMs, max) =>
      all((order) => isOver(order) && order.sinceMs >= sinceMs, 'sinceMs').slice(0, max),
    adopt: async () => [
      ...all((order) => !isOver(order), 'receivedAtMs'),
      ...all(({ phase }) => phase === 'ended', 'sinceMs'),
    ],
    onOthers: () => undefined,

    async change(transactionId, change) {
      const before = writer.read().orders.get(transactionId)
      const { order: wanted, observedQuantity, survives } = change(before)
      const newestEndMs = all(isOver, 'sinceMs').at(-1)?.sinceMs ?? null
      const order = wanted && isEnd(before, wanted) ? afterEarlierEnds(wanted, newestEndMs) : wanted
      if (order !== undefined && (order !== before || observedQuantity !== undefined)) {
        if (order) assertStorable(order)
        commit(`order ${transactionId} ${order?.phase ?? 'removed'}`, ({ orders, observations }) => {
          if (order === null) orders.delete(transactionId)
          else orders.set(transactionId, order)
          if (order && observedQuantity !== undefined) observations.set(order.itemRef, observedQuantity)
        })
        if (order && observedQuantity !== undefined) noteVersion(order.itemRef)
        // A sync that ends earlier than the one before it does not resolve its change earlier.
        if (survives !== 'kill') synced = Promise.all([synced, writer.sync()])
      }
      await synced
      return { order: order === undefined ? before : (order ?? undefined), isOurs: true }
    },

    observationOf: async (itemRef) => writer.read().observations.get(itemRef) ?? null,

    observationVersionOf: async (itemRef) => String(versions.get(itemRef)),

    async observe(itemRef, observedQuantity) {
      const isKnown = [...writer.read().orders.values()].some((order) => order.itemRef === itemRef)
      commit(`observation of ${itemRef}`, ({ observations }) => {
        if (isKnown) observations.set(itemRef, observedQuantity)
      })
      noteVersion(itemRef)
      return { durable: isKnown ? writer.sync() : Promise.resolve() }
    },

    async removeClosedBefore(beforeMs) {
      const isOld = ({ phase, sinceMs }: Order) => phase === 'closed' && sinceMs < beforeMs
      const removed = all(isOld, 'sinceMs').map(({ transactionId }) => transactionId)
      const remove = ({ orders, observations }: LedgerRows) => {
        for (const transactionId of removed) orders.delete(transactionId)
        const items = new Set([...orders.values()].map(({ itemRef }) => itemRef))
        for (const itemRef of observations.keys()) if (!items.has(itemRef)) observations.delete(itemRef)
      }
      // What changes nothing needs no room.
      if (removed.length > 0) commit('remove old orders', remove)
      await writer.sync()
      return removed
    },

    async close() {
      room.close()
    },
  }
}

function isOver({ phase }: Order): boolean {
  return phase === 'ended' || phase === 'closed'
}

/** SQLite refuses a record whose times are not numbers. */
function assertStorable({ receivedAtMs, sinceMs }: Order): void {
  if (!Number.isFinite(receivedAtMs) || !Number.isFinite(sinceMs)) throw new Error('NOT NULL constraint failed')
}
