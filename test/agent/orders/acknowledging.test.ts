import { pino } from 'pino'
import { expect, test } from 'vitest'
import { newOrder } from '../../../agent/orders/order.ts'
import { Orders } from '../../../agent/orders/orders.ts'
import { order as paid } from '../fixtures/events.ts'
import { TestClock } from '../fixtures/test-clock.ts'
import { memoryLedger } from './memory-ledger.ts'

/** Orders with one that the game server has taken, and what is told about reports of its item. */
function startOrders() {
  const clock = new TestClock()
  const known = { ...newOrder(paid, '{}', clock.wallMs()), phase: 'taken' as const }
  const rows = { orders: new Map([[paid.transactionId, known]]), observations: new Map([[paid.itemRef, 4]]) }
  const ledger = memoryLedger(rows, () => false)
  const told: string[] = []
  const orders = new Orders({
    ...{ ledger, clock, log: pino({ enabled: false }), files: undefined },
    ...{ channel: 'asking', push: () => expect.unreachable(), mayBegin: () => true },
    platform: { platformMs: () => clock.wallMs(), call: () => expect.unreachable() },
    observations: {
      observe: async () => undefined,
      noteOverwritten: async () => undefined,
      expectReport: async () => async (lateUntilMs, newest) => {
        told.push(`${newest} may be read for ${lateUntilMs - clock.monotonicMs()} ms`)
      },
    },
  })
  return { orders, told, known, ledger }
}

for (const hasLeft of [true, false])
  test(`a 2xx ${hasLeft ? 'that has left' : 'whose reader has hung up'} ends, but may be read until the platform's timeout`, async () => {
    const { orders, told, known, ledger } = startOrders()
    await orders.endAcknowledging(await orders.beginAcknowledging(known.itemRef, known), hasLeft)
    expect(told).toEqual(['4 may be read for 10000 ms'])
    const lastTransfer = hasLeft ? 'acknowledged' : 'unacknowledged'
    expect(await ledger.find(paid.transactionId)).toMatchObject({ lastTransfer })
  })
