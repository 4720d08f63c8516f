import { expect, test } from 'vitest'
import { until } from '../../../scripts/until.ts'
import { order } from '../fixtures/events.ts'
import { type FakePlatform, goodReply } from '../fixtures/fake-platform.ts'
import { startTestBridge, type TestBridge } from '../fixtures/test-bridge.ts'

const adjust = (observedQuantity: number) =>
  ['market.adjust-stock', { itemRef: order.itemRef, observedQuantity }] as const
const adjusted = ({ requests }: FakePlatform) =>
  requests.filter(({ method }) => method === 'PUT').map(({ body }) => JSON.parse(body).observedQuantity)

/** An observation of 5 may arrive late, and 3 is accepted after it. */
async function loseFiveAcceptThree({ platform, agent }: TestBridge): Promise<void> {
  platform.reply = (request) => (request.body.includes('"observedQuantity":5') ? { status: 504 } : goodReply(request))
  expect(await agent.call(...adjust(5))).toMatchObject({ ok: false, uncertain: true })
  expect(await agent.call(...adjust(3))).toMatchObject({ ok: true })
}

/** @returns What the repair sent. */
async function repaired({ platform, clock }: TestBridge): Promise<number> {
  const before = adjusted(platform).length
  clock.advance(43_000)
  await until(async () => adjusted(platform).length > before)
  return adjusted(platform).at(-1)
}

async function takeOrder(bridge: TestBridge, observedQuantity: number): Promise<void> {
  const answer = bridge.webhook(order)
  await until(async () => (await bridge.orders()).open[0]?.['state'] === 'offered')
  await bridge.agent.call('orders.take', { transactionId: order.transactionId, observedQuantity })
  expect((await answer).status).toBe(200)
  await until(async () => bridge.agent.logLines().some(({ msg }) => msg === 'order acknowledged to the platform'))
}

test('a repair sends what the answer to an order observed, and nothing older', async () => {
  await using bridge = await startTestBridge({ config: { callDeadlineMs: 1_000 } })
  await loseFiveAcceptThree(bridge)
  await takeOrder(bridge, 2)
  expect(await repaired(bridge)).toBe(2)
})

test('a repair sends what a report about an order observed, and nothing older', async () => {
  await using bridge = await startTestBridge({ config: { callDeadlineMs: 1_000 } })
  await takeOrder(bridge, 4)
  await loseFiveAcceptThree(bridge)
  const failure = { transactionId: order.transactionId, reason: 'OUT_OF_STOCK', observedQuantity: 0 }
  expect(await bridge.agent.call('transaction.delivery-failure', failure)).toMatchObject({ ok: true })
  expect(await repaired(bridge)).toBe(0)
})

test('a stock that is newer than the 2xx to an order that is over and not in the ledger is sent again', async () => {
  await using bridge = await startTestBridge({ config: { callDeadlineMs: 1_000 } })
  const { platform, agent, clock } = bridge
  await takeOrder(bridge, 4)
  // The platform has read the answer to the first order by now.
  clock.advance(60_000)
  platform.shown.set(order.transactionId, { paymentStatus: 'ESTORNADO', deliveryStatus: 'FALHOU', quantity: 1 })
  expect(await bridge.webhook({ ...order, quantity: 1 })).toEqual({ status: 200, body: { observedQuantity: 4 } })
  expect(await agent.call(...adjust(3))).toMatchObject({ ok: true })
  expect(await repaired(bridge)).toBe(3)
})
