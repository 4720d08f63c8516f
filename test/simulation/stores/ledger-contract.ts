import { expect, test } from 'vitest'
import { StoreFullError } from '../../../agent/database/store-errors.ts'
import { newOrder, type Order } from '../../../agent/orders/order.ts'
import type { OrderLedger } from '../../../agent/orders/order-ledger.ts'
import { order as event } from '../../agent/fixtures/events.ts'
import { observeNow } from '../../agent/fixtures/observe-now.ts'
import { longTexts, strangeTexts } from '../../agent/fixtures/strange-texts.ts'
import { type NewStore, processEnds, type StoreUnderTest } from './store-under-test.ts'

const orderOf = (transactionId: number, fields: Partial<Order> = {}): Order => ({
  ...newOrder({ ...event, transactionId }, JSON.stringify({ ...event, transactionId }), 1_000),
  ...fields,
})
const put = (ledger: OrderLedger, order: Order, survives?: 'kill') =>
  ledger.change(order.transactionId, () => ({ order, survives }))
const idsOf = (orders: readonly Order[]) => orders.map(({ transactionId }) => transactionId)

/** What every ledger promises: tests that a model of it and a real one must pass alike. */
export function testLedger(name: string, newStore: NewStore<OrderLedger>): void {
  const promise = (title: string, run: (disk: StoreUnderTest<OrderLedger>) => Promise<void>) =>
    test(`${name}: ${title}`, async () => {
      await using disk = await newStore()
      await run(disk)
    })

  promise('a ledger of its own knows nothing', (disk) =>
    disk.run(async ({ store: ledger }) => {
      expect(await ledger.find(1)).toBeUndefined()
      expect(await ledger.observationOf('sword')).toBeNull()
      expect([await ledger.findOpen(), await ledger.findOverSince(0, 10), await ledger.adopt()]).toEqual([[], [], []])
    }),
  )

  promise('an order whose item had no other one does not find the stock of an earlier one', (disk) =>
    disk.run(async ({ store: ledger }) => {
      const sword = orderOf(17)
      for (const replaced of [(id: number) => orderOf(id, { itemRef: 'shield' }), () => null]) {
        await ledger.change(17, () => ({ order: sword, observedQuantity: 4 }))
        await put(ledger, orderOf(18))
        await ledger.change(17, () => ({ order: replaced(17) }))
        await put(ledger, orderOf(19))
        expect((await ledger.observationOf(sword.itemRef))?.quantity).toBe(4)
        await ledger.change(19, () => ({ order: replaced(19) }))
        await ledger.change(18, () => ({ order: replaced(18) }))
        await observeNow(ledger, sword.itemRef, 3)
        await put(ledger, sword)
        expect(await ledger.observationOf(sword.itemRef)).toBeNull()
      }
    }),
  )

  promise('the changes of a transaction resolve in the order in which they were made', (disk) =>
    disk.run(async ({ store: ledger }) => {
      const resolved: number[] = []
      for (let round = 0; round < 20; round++) {
        const changes = [1, 2, 3].map((sinceMs) =>
          put(ledger, orderOf(17, { sinceMs })).then(() => void resolved.push(sinceMs)),
        )
        await Promise.all(changes)
      }
      expect(resolved).toEqual(Array.from({ length: 20 }, () => [1, 2, 3]).flat())
    }),
  )

  for (const end of processEnds) {
    promise(`a change survives a ${end}, with its observation`, async (disk) => {
      const order = orderOf(17, { phase: 'taken', detail: 'ção', retryAtMs: 5.5 })
      await disk.run(({ store: ledger }) => ledger.change(17, () => ({ order, observedQuantity: 4 })), end)
      await disk.run(async ({ store: ledger }) => {
        expect(await ledger.find(17)).toEqual(order)
        expect((await ledger.observationOf(order.itemRef))?.quantity).toBe(4)
        await ledger.change(17, () => ({ order: null }))
      }, end)
      await disk.run(async ({ store: ledger }) => {
        expect(await ledger.find(17)).toBeUndefined()
        expect((await ledger.observationOf(order.itemRef))?.quantity).toBe(4)
      })
    })

    promise(`what was removed because it is old stays removed after a ${end}`, async (disk) => {
      await disk.run(async ({ store: ledger }) => {
        for (const id of [1, 2, 3])
          await put(ledger, orderOf(id, { phase: 'closed', sinceMs: id * 10, itemRef: `item-${id}` }))
        for (const id of [1, 2]) await observeNow(ledger, `item-${id}`, id)
        await put(ledger, orderOf(4, { phase: 'ended', sinceMs: 40 }))
        expect([...(await ledger.removeClosedBefore(20))]).toEqual([1])
      }, end)
      await disk.run(async ({ store: ledger }) => {
        expect(idsOf(await ledger.findOverSince(0, 10))).toEqual([2, 3, 4])
        expect(await ledger.observationOf('item-1')).toBeNull()
        expect(await ledger.observationOf('item-2')).toMatchObject({ quantity: 2 })
      })
    })
  }

  promise('a change that asks for a kill only survives a kill; a power cut may undo it', async (disk) => {
    await disk.run(async ({ store: ledger }) => {
      await put(ledger, orderOf(1))
      await put(ledger, orderOf(1, { offers: 1 }), 'kill')
    }, 'kill')
    await disk.run(async ({ store: ledger }) => {
      expect(await ledger.find(1)).toMatchObject({ offers: 1 })
      await put(ledger, orderOf(1, { offers: 2 }), 'kill')
    }, 'power cut')
    await disk.run(async ({ store: ledger }) => expect((await ledger.find(1))?.offers).toBeLessThan(2))
  })

  promise('an observation survives a kill; a power cut may undo it, unless a later change was synced', async (disk) => {
    await disk.run(async ({ store: ledger }) => {
      await put(ledger, orderOf(1, { itemRef: 'sword' }))
      await observeNow(ledger, 'sword', 7)
      await observeNow(ledger, 'nothing of this', 1)
    }, 'kill')
    await disk.run(async ({ store: ledger }) => {
      expect((await ledger.observationOf('sword'))?.quantity).toBe(7)
      expect(await ledger.observationOf('nothing of this')).toBeNull()
      await put(ledger, orderOf(2))
      await observeNow(ledger, 'sword', 6)
    }, 'power cut')
    await disk.run(async ({ store: ledger }) =>
      expect([6, 7]).toContain((await ledger.observationOf('sword'))?.quantity),
    )
  })

  promise('an observation that is durable survives a power cut', async (disk) => {
    await disk.run(async ({ store: ledger }) => {
      await put(ledger, orderOf(1, { itemRef: 'sword' }))
      const { durable } = await observeNow(ledger, 'sword', 7)
      await durable
    }, 'power cut')
    await disk.run(async ({ store: ledger }) => expect((await ledger.observationOf('sword'))?.quantity).toBe(7))
  })

  promise(
    'a later observation has a larger mark, also one of the same quantity and one that comes with a change',
    (disk) =>
      disk.run(async ({ store: ledger }) => {
        await put(ledger, orderOf(1, { itemRef: 'sword' }))
        await put(ledger, orderOf(2, { itemRef: 'shield' }))
        const marks = [await ledger.drawMark()]
        for (const [itemRef, note] of [
          ['sword', () => observeNow(ledger, 'sword', 7)],
          ['sword', () => observeNow(ledger, 'sword', 7)],
          ['shield', () => observeNow(ledger, 'shield', 1)],
          ['sword', () => ledger.change(1, (known) => ({ order: known, observedQuantity: 7 }))],
        ] as const) {
          await note()
          marks.push((await ledger.observationOf(itemRef))?.mark ?? 0)
        }
        expect(marks).toEqual([...new Set(marks)].toSorted((one, other) => one - other))
      }),
  )

  promise('marks are drawn in the order in which they are asked for', (disk) =>
    disk.run(async ({ store: ledger }) => {
      const marks = await Promise.all(Array.from({ length: 50 }, () => ledger.drawMark()))
      expect(marks).toEqual([...new Set(marks)].toSorted((one, other) => one - other))
    }),
  )

  promise('an observation that is older than a known one is not noted', (disk) =>
    disk.run(async ({ store: ledger }) => {
      await put(ledger, orderOf(1, { itemRef: 'sword' }))
      const [first, second, third] = [await ledger.drawMark(), await ledger.drawMark(), await ledger.drawMark()]
      expect(await ledger.observe('sword', { quantity: 7, mark: second })).toMatchObject({ isNoted: true })
      expect(await ledger.observe('sword', { quantity: 6, mark: first })).toMatchObject({ isNoted: false })
      expect(await ledger.observationOf('sword')).toEqual({ quantity: 7, mark: second })
      expect(await ledger.observe('sword', { quantity: 5, mark: third })).toMatchObject({ isNoted: true })
      expect(await ledger.observe('nothing of this', { quantity: 1, mark: first })).toMatchObject({ isNoted: true })
      await ledger.change(1, (known) => ({ order: known, observedQuantity: 4 }))
      expect(await ledger.observe('sword', { quantity: 3, mark: third })).toMatchObject({ isNoted: false })
      await ledger.change(1, (known) => ({ order: known, observedQuantity: 2, observedMark: third }))
      expect(await ledger.observationOf('sword')).toMatchObject({ quantity: 4 })
    }),
  )

  promise('a change that returns nothing, or the same object, leaves the order as it was', (disk) =>
    disk.run(async ({ store: ledger }) => {
      await put(ledger, orderOf(17))
      const seen: (Order | undefined)[] = []
      for (const id of [17, 18]) {
        await ledger.change(id, (known) => {
          seen.push(known)
          return { order: undefined, observedQuantity: 9 }
        })
      }
      await ledger.change(17, (known) => ({ order: known }))
      expect(seen).toEqual([orderOf(17), undefined])
      expect(await ledger.find(17)).toEqual(orderOf(17))
      expect(await ledger.observationOf(event.itemRef)).toBeNull()
      await ledger.change(17, (known) => ({ order: known, observedQuantity: 3 }))
      expect((await ledger.observationOf(event.itemRef))?.quantity).toBe(3)
    }),
  )

  promise('changes that are made at once see each other', (disk) =>
    disk.run(async ({ store: ledger }) => {
      await put(ledger, orderOf(1))
      const count = () => ledger.change(1, (known) => ({ order: known && { ...known, offers: known.offers + 1 } }))
      await Promise.all(Array.from({ length: 5 }, count))
      expect(await ledger.find(1)).toMatchObject({ offers: 5 })
    }),
  )

  promise('a change that is known is synced: nothing is answered from what a power cut may take', async (disk) => {
    await disk.run(async ({ store: ledger }) => {
      void put(ledger, orderOf(1, { phase: 'taken' }))
      await ledger.change(1, (known) => ({ order: known }))
    }, 'power cut')
    await disk.run(async ({ store: ledger }) => expect(await ledger.find(1)).toMatchObject({ phase: 'taken' }))
  })

  promise('an order that is found is synced too', async (disk) => {
    const found = await disk.run(async ({ store: ledger }) => {
      await put(ledger, orderOf(1))
      void put(ledger, orderOf(1, { phase: 'taken' }))
      return ledger.find(1)
    }, 'power cut')
    await disk.run(async ({ store: ledger }) => {
      const left = await ledger.find(1)
      expect(found?.phase === 'taken' ? left?.phase : 'taken').toBe('taken')
    })
  })

  promise('each list has its orders, oldest first', (disk) =>
    disk.run(async ({ store: ledger }) => {
      const phases = ['received', 'closed', 'offered', 'ended', 'reporting', 'closed', 'ended', 'put-off'] as const
      for (const [n, phase] of phases.entries())
        await put(ledger, orderOf(n + 1, { phase, receivedAtMs: 100 - n, sinceMs: 200 + n }))
      expect(idsOf(await ledger.findOpen())).toEqual([8, 5, 3, 1])
      expect(idsOf(await ledger.findOverSince(0, 10))).toEqual([2, 4, 6, 7])
      expect(idsOf(await ledger.findOverSince(203, 2))).toEqual([4, 6])
      expect(idsOf((await ledger.adopt()).filter(({ phase }) => phase === 'ended'))).toEqual([4, 7])
    }),
  )

  promise('each end is listed after the ones before, although the clock was set back meanwhile', async (disk) => {
    const endMs = 1_800_000_000_000
    const dayMs = 24 * 3_600_000
    const sinceOf = async (ledger: OrderLedger) =>
      (await ledger.findOverSince(0, 10)).map(({ transactionId, sinceMs }) => [transactionId, sinceMs])
    await disk.run(({ store: ledger }) => put(ledger, orderOf(1, { phase: 'ended', sinceMs: endMs })), 'kill')
    await disk.run(async ({ store: ledger }) => {
      const { order } = await put(ledger, orderOf(2, { phase: 'closed', sinceMs: endMs - 3_600_000 }))
      expect(order).toMatchObject({ sinceMs: endMs + 1 })
      await put(ledger, orderOf(3, { phase: 'ended', sinceMs: endMs - dayMs + 1 }))
      await put(ledger, orderOf(3, { phase: 'closed', sinceMs: endMs + 2 }))
      expect(await sinceOf(ledger)).toEqual([
        [1, endMs],
        [2, endMs + 1],
        [3, endMs + 2],
      ])
      // So wrong was the clock before.
      await put(ledger, orderOf(4, { phase: 'ended', sinceMs: endMs - dayMs - 1 }))
      expect((await sinceOf(ledger))[0]).toEqual([4, endMs - dayMs - 1])
    })
  })

  promise('items of any name have orders and observations of their own', async (disk) => {
    const items = [...strangeTexts, ...longTexts]
    await disk.run(async ({ store: ledger }) => {
      for (const [n, itemRef] of items.entries()) {
        const order = orderOf(n + 1, { itemRef, receivedAtMs: n })
        await ledger.change(n + 1, () => ({ order, observedQuantity: n }))
      }
    }, 'kill')
    await disk.run(async ({ store: ledger }) => {
      expect((await ledger.findOpen()).map(({ itemRef }) => itemRef)).toEqual(items)
      for (const [n, itemRef] of items.entries()) expect((await ledger.observationOf(itemRef))?.quantity).toBe(n)
      await observeNow(ledger, items[3] ?? '', 99)
      for (const [n, itemRef] of items.entries())
        expect((await ledger.observationOf(itemRef))?.quantity).toBe(n === 3 ? 99 : n)
    })
  })

  promise('a value that cannot be stored fails alone', (disk) =>
    disk.run(async ({ store: ledger }) => {
      await expect(put(ledger, orderOf(1, { receivedAtMs: Number.NaN }))).rejects.toThrow(/NOT NULL|check constraint/)
      await put(ledger, orderOf(2))
      expect(idsOf(await ledger.findOpen())).toEqual([2])
    }),
  )

  promise('a full disk changes nothing, and the ledger says when there is room again', (disk) =>
    disk.run(async ({ store: ledger, pass, setFull, reportedFull }) => {
      await put(ledger, orderOf(1, { itemRef: 'sword' }))
      await observeNow(ledger, 'sword', 7)
      const known = await ledger.observationOf('sword')
      await setFull(true)
      await expect(observeNow(ledger, 'sword', 6)).rejects.toThrow(StoreFullError)
      expect(await ledger.observationOf('sword')).toEqual(known)
      await expect(put(ledger, orderOf(1, { phase: 'taken' }))).rejects.toThrow(StoreFullError)
      await expect(put(ledger, orderOf(2))).rejects.toThrow(StoreFullError)
      expect(await ledger.findOpen()).toEqual([orderOf(1, { itemRef: 'sword' })])
      await pass(10_000)
      await setFull(false)
      await pass(1_100)
      await put(ledger, orderOf(2))
      expect(reportedFull).toEqual([true, false])
    }),
  )
}
