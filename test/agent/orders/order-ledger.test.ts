import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { systemClock } from '../../../agent/clock/system-clock.ts'
import { FileSync } from '../../../agent/durable-files/file-sync.ts'
import { newOrder, type Order } from '../../../agent/orders/order.ts'
import { orderPhases } from '../../../agent/orders/order-moves.ts'
import { openSqliteOrderLedger } from '../../../agent/orders/sqlite-order-ledger.ts'
import { orderResults } from '../../../contract/order-reply.ts'
import { order as paid } from '../fixtures/events.ts'
import { observeNow } from '../fixtures/observe-now.ts'
import { openTestLedger } from '../fixtures/test-ledger.ts'

const orderOf = (transactionId: number, fields: Partial<Order> = {}): Order => ({
  ...newOrder({ ...paid, transactionId }, JSON.stringify({ ...paid, transactionId }), 1_000),
  ...fields,
})

function openLedger() {
  const opened = openTestLedger()
  const put = (order: Order) => opened.ledger.change(order.transactionId, () => ({ order }))
  return { ...opened, ledger: opened.ledger, put }
}

test('an order comes out of the ledger as it went in', async () => {
  await using opened = openLedger()
  const { ledger, put } = opened
  const order = fc.record({
    transactionId: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    itemRef: fc.string({ minLength: 1 }),
    orderText: fc.option(fc.constant(JSON.stringify(paid)), { nil: null }),
    phase: fc.constantFrom(...orderPhases),
    generation: fc.integer({ min: 1, max: 1_000 }),
    receivedAtMs: fc.double({ min: 0, max: 4e12, noNaN: true }),
    sinceMs: fc.double({ min: 0, max: 4e12, noNaN: true }),
    offers: fc.nat(),
    retryAtMs: fc.option(fc.integer({ min: 0, max: 4e12 }), { nil: null }),
    lastTransfer: fc.constantFrom('unacknowledged' as const, 'acknowledged' as const, 'put-off' as const),
    result: fc.constantFrom(null, ...orderResults),
    detail: fc.option(fc.string(), { nil: null }),
    unknownSinceMs: fc.option(fc.integer({ min: 0, max: 4e12 }), { nil: null }),
    reported: fc.constantFrom(null, ...orderResults),
    outcome: fc.constantFrom(null, 'CONCLUIDA' as const, 'ESTORNADA' as const),
    terminalText: fc.option(fc.string(), { nil: null }),
  })
  await fc.assert(
    fc.asyncProperty(order, async (written) => {
      // An end gets a place of its own.
      const { order } = await put(written)
      expect({ ...order, sinceMs: written.sinceMs }).toEqual(written)
      expect(await ledger.find(written.transactionId)).toEqual(order)
    }),
    { numRuns: 50 },
  )
})

test('a change that returns nothing leaves the order as it was', async () => {
  await using opened = openLedger()
  const { ledger, put } = opened
  await put(orderOf(17))
  const known: unknown[] = []
  for (const transactionId of [17, 18])
    await ledger.change(transactionId, (order) => {
      known.push(order)
      return { order: undefined }
    })
  expect(known).toEqual([orderOf(17), undefined])
  expect(await ledger.find(17)).toEqual(orderOf(17))
  expect(await ledger.find(18)).toBeUndefined()
})

test('a change that is not synced waits for the sync of the change before it', async () => {
  await using opened = openLedger()
  const { ledger, put } = opened
  const synced = Promise.withResolvers<void>()
  const sync = vi.spyOn(FileSync.prototype, 'sync').mockReturnValueOnce(synced.promise)
  onTestFinished(() => sync.mockRestore())
  const taken = put(orderOf(17, { phase: 'taken' }))
  let isCounted = false
  const counting = ledger
    .change(17, (known) => ({ order: known && { ...known, offers: 1 }, survives: 'kill' }))
    .then(() => {
      isCounted = true
    })
  await setImmediate()
  expect(isCounted).toBe(false)
  synced.resolve()
  await Promise.all([taken, counting])
  expect(await ledger.find(17)).toMatchObject({ phase: 'taken', offers: 1 })
  expect(sync).toHaveBeenCalledTimes(1)
})

test('an observation that is older than one under way counts only when that one is synced', async () => {
  await using opened = openLedger()
  const { ledger, put } = opened
  await put(orderOf(17))
  const mark = await ledger.drawMark()
  const synced = Promise.withResolvers<void>()
  const sync = vi.spyOn(FileSync.prototype, 'sync').mockReturnValue(synced.promise)
  onTestFinished(() => sync.mockRestore())
  const replied = ledger.change(17, () => ({ order: orderOf(17, { phase: 'taken' }), observedQuantity: 0 }))
  const older = await ledger.observe('sword-1', { quantity: 0, mark })
  expect(older.isNoted).toBe(false)
  let isDurable = false
  const counting = older.durable.then(() => {
    isDurable = true
  })
  await setImmediate()
  expect(isDurable).toBe(false)
  synced.resolve()
  await Promise.all([replied, counting])
})

test('open orders come oldest first; closed ones only since the given moment', async () => {
  await using opened = openLedger()
  const { ledger, put } = opened
  await put(orderOf(3, { receivedAtMs: 3 }))
  await put(orderOf(1, { receivedAtMs: 9, phase: 'put-off' }))
  await put(orderOf(2, { receivedAtMs: 1, phase: 'taken' }))
  await put(orderOf(6, { phase: 'closed', sinceMs: 3 }))
  await put(orderOf(5, { phase: 'closed', sinceMs: 4 }))
  await put(orderOf(4, { phase: 'closed', sinceMs: 5 }))
  expect((await ledger.findOpen()).map(({ transactionId }) => transactionId)).toEqual([2, 3, 1])
  expect((await ledger.findOverSince(4, 9)).map(({ transactionId }) => transactionId)).toEqual([5, 4])
  await ledger.removeClosedBefore(5)
  expect((await ledger.findOverSince(0, 9)).map(({ transactionId }) => transactionId)).toEqual([4])
  expect(await ledger.findOpen()).toHaveLength(3)
})

test('an observation of an item without orders is not kept and is removed with its last order', async () => {
  await using opened = openLedger()
  const { ledger, put } = opened
  await observeNow(ledger, 'sword-1', 4)
  expect(await ledger.observationOf('sword-1')).toBeNull()
  await put(orderOf(1, { phase: 'closed', sinceMs: 1 }))
  await observeNow(ledger, 'sword-1', 4)
  expect((await ledger.observationOf('sword-1'))?.quantity).toBe(4)
  expect(await ledger.removeClosedBefore(2)).toEqual([1])
  expect(await ledger.observationOf('sword-1')).toBeNull()
})

test('a change is stored together with the observation that comes with it', async () => {
  await using opened = openLedger()
  const { ledger, put } = opened
  await put(orderOf(1))
  await put(orderOf(3, { itemRef: 'shield-1' }))
  await ledger.change(1, () => ({ order: orderOf(1, { phase: 'taken' }), observedQuantity: 3 }))
  expect(await ledger.observationOf('sword-1')).toMatchObject({ quantity: 3 })
  expect(await ledger.observationOf('shield-1')).toBeNull()
})

test('a change that returns null removes its order', async () => {
  await using opened = openLedger()
  await opened.put(orderOf(1))
  await opened.ledger.change(1, () => ({ order: null }))
  expect(await opened.ledger.find(1)).toBeUndefined()
})

for (const version of [1, 2])
  test(`a ledger of version ${version} is taken over with its orders and observations`, async () => {
    await using opened = openTestLedger()
    const ledger = await opened.reopen((path) => {
      for (const suffix of ['-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true })
      copyFileSync(join(import.meta.dirname, `orders-version-${version}.db`), path)
    })
    const open = (await ledger.findOpen()).map((order) => [order.transactionId, order.phase, order.lastTransfer])
    expect(open).toEqual([
      [1, 'offered', 'unacknowledged'],
      [2, 'taken', 'unacknowledged'],
      [3, 'taken', 'acknowledged'],
      [4, 'offered', 'acknowledged'],
      [5, 'put-off', 'acknowledged'],
    ])
    expect((await ledger.findOverSince(0, 9)).map(({ transactionId }) => transactionId)).toEqual([6, 7])
    expect((await ledger.adopt()).filter(({ phase }) => phase === 'ended')).toMatchObject([
      { transactionId: 6, phase: 'ended', outcome: 'ESTORNADA' },
    ])
    expect((await ledger.observationOf('sword-1'))?.quantity).toBe(5)
    const [order] = await ledger.findOpen()
    const fresh = newOrder({ ...paid, transactionId: 1 }, JSON.stringify({ ...paid, transactionId: 1 }), 1)
    expect(order).toEqual({
      ...fresh,
      phase: 'offered',
      receivedAtMs: order?.receivedAtMs,
      sinceMs: order?.sinceMs,
      orderText: order?.orderText,
    })
    expect(JSON.parse(order?.orderText ?? '')).toEqual({ ...paid, transactionId: 1 })
    expect((await ledger.find(5))?.retryAtMs).toBe(Date.parse('2026-11-21T13:00:00Z'))
    expect((await (await opened.reopen()).findOpen()).length).toBe(5)
  })

test('only the value that the database does not accept fails, and the next change is stored', async () => {
  await using opened = openLedger()
  const broken = orderOf(1, { receivedAtMs: Number.NaN })
  await expect(opened.put(broken)).rejects.toThrow(/NOT NULL/)
  await opened.put(orderOf(2))
  expect((await opened.ledger.findOpen()).map(({ transactionId }) => transactionId)).toEqual([2])
})

test('a change whose observation cannot be stored changes nothing', async () => {
  await using opened = openTestLedger()
  await opened.ledger.change(1, () => ({ order: orderOf(1) }))
  await opened.reopen((path) => {
    using db = new DatabaseSync(path)
    db.exec(`CREATE TRIGGER fail BEFORE INSERT ON observations BEGIN SELECT RAISE(ABORT, 'not now'); END`)
  })
  const change = opened.ledger.change(1, () => ({ order: orderOf(1, { phase: 'taken' }), observedQuantity: 4 }))
  await expect(change).rejects.toThrow()
  expect(await opened.ledger.find(1)).toEqual(orderOf(1))
})

test('a new process finds the orders of the last one', async () => {
  await using opened = openTestLedger()
  await opened.ledger.change(17, () => ({ order: orderOf(17) }))
  expect(await (await opened.reopen()).findOpen()).toEqual([orderOf(17)])
})

test('a ledger that is damaged or foreign stays untouched, and the message says what to compare', async () => {
  const stateDir = mkdtempSync(join(tmpdir(), 'market-agent-orders-'))
  const path = join(stateDir, 'orders.db')
  writeFileSync(path, 'not a database '.repeat(100))
  const before = readFileSync(path)
  const options = { clock: systemClock, onFull: () => undefined, onFatal: () => expect.unreachable() }
  const open = () => openSqliteOrderLedger({ stateDir, ...options })
  expect(open).toThrow(/orders\.db: damaged or no database.*compare the paid transactions/)
  expect(readFileSync(path).equals(before)).toBe(true)
  rmSync(path)
  const other = new DatabaseSync(path)
  other.exec('CREATE TABLE t (x)')
  other.close()
  expect(open).toThrow("another program's database")
  rmSync(stateDir, { recursive: true })
})
