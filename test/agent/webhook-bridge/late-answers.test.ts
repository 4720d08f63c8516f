import { expect, test } from 'vitest'
import { until } from '../../../scripts/until.ts'
import { answering, startReceiver } from '../../platform-stub/fixtures/receiver.ts'
import { order } from '../fixtures/events.ts'
import { goodReply, type PlatformReply, type PlatformRequest } from '../fixtures/fake-platform.ts'
import { startTestBridge, type TestBridge } from '../fixtures/test-bridge.ts'

const delivery = '/v1/api/transactions/17/delivery'
const failure = `${delivery}-failure`
const data = (fields: object): PlatformReply => ({ status: 200, body: JSON.stringify({ data: fields }) })
const paid = { transactionId: 17, paymentStatus: 'PAGO', deliveryStatus: 'AGUARDANDO_SERVIDOR' }
const refunded = { transactionId: 17, paymentStatus: 'ESTORNADO', deliveryStatus: 'EM_DISPUTA' }
const take = { transactionId: 17, observedQuantity: 3 }
const requestsTo = ({ platform }: TestBridge, path: string) => platform.requests.filter((one) => one.path === path)
const stateOf = async (bridge: TestBridge) => (await bridge.orders()).open[0]?.['state']

/** Answers reports of failures with one reply, and everything else as usual. */
function failuresGet(bridge: TestBridge, reply: (request: PlatformRequest) => PlatformReply): void {
  bridge.platform.reply = (request) => (request.path === failure ? reply(request) : goodReply(request))
}

test('an answer that ends an order counts, although the game server took it while the platform was asked', async () => {
  await using bridge = await startTestBridge()
  const answer = bridge.webhook(order)
  await until(async () => (await stateOf(bridge)) === 'offered')
  const { promise: mayAnswer, resolve: letAnswer } = Promise.withResolvers<void>()
  bridge.platform.reply = async () => {
    await mayAnswer
    return data(refunded)
  }
  const asked = bridge.platform.requests.length
  const checked = fetch(`${bridge.agent.url}/orders/check`, { method: 'POST' })
  await bridge.platform.arrived(asked + 1)
  expect(await bridge.agent.call('orders.take', take)).toMatchObject({ ok: true, data: { state: 'taken' } })
  letAnswer()
  expect(await (await checked).json()).toEqual({ ok: true, data: { asked: 1, unanswered: 0 } })
  expect((await bridge.orders()).closed).toMatchObject([{ transactionId: 17, outcome: 'ESTORNADA' }])
  expect(await answer).toMatchObject({ status: 200 })
})

test('an answer that was asked for before an order was taken does not have it offered again', async () => {
  await using bridge = await startTestBridge()
  const answer = bridge.webhook(order)
  await until(async () => (await stateOf(bridge)) === 'offered')
  const { promise: mayAnswer, resolve: letAnswer } = Promise.withResolvers<void>()
  bridge.platform.reply = async (request) => {
    await mayAnswer
    return goodReply(request)
  }
  const asked = bridge.platform.requests.length
  const checked = fetch(`${bridge.agent.url}/orders/check`, { method: 'POST' })
  await bridge.platform.arrived(asked + 1)
  await bridge.agent.call('orders.take', take)
  letAnswer()
  await checked
  expect((await bridge.orders()).open).toMatchObject([{ transactionId: 17, state: 'taken' }])
  expect(await answer).toMatchObject({ status: 200 })
})

test('TEMPORARY that was certainly not accepted puts nothing off: a copy of the order is answered from what is stored', async () => {
  await using bridge = await startTestBridge({ config: { callDeadlineMs: 1_000 } })
  const answer = bridge.webhook(order)
  await until(async () => (await stateOf(bridge)) === 'offered')
  await bridge.agent.call('orders.take', take)
  await answer
  failuresGet(bridge, () => ({ status: 400, body: '{"message":"não agora"}' }))
  const report = { transactionId: 17, reason: 'TEMPORARY', observedQuantity: 3 }
  expect(await bridge.agent.call('transaction.delivery-failure', report)).toMatchObject({ ok: false, status: 400 })
  expect(await bridge.webhook(order)).toEqual({ status: 200, body: { observedQuantity: 3 } })
  expect((await bridge.orders()).open).toMatchObject([{ transactionId: 17, state: 'taken' }])
})

test('after a start with a fast clock, an order that was put off is not offered before its retryAt', async () => {
  await using receiver = await startReceiver(answering(200, { observedQuantity: 3, result: 'TEMPORARY' }))
  await using bridge = await startTestBridge({ forwardUrl: receiver.url })
  const nowMs = () => bridge.clock.wallMs() - bridge.clock.wallOffsetMs
  bridge.platform.dateMs = nowMs
  const retryAt = new Date(nowMs() + 600_000).toISOString()
  failuresGet(bridge, () => data({ ...paid, refundStarted: false, retryAt }))
  await bridge.webhook(order)
  await until(async () => (await stateOf(bridge)) === 'put-off')
  const questions = () => requestsTo(bridge, '/v1/api/transactions/17').length
  const before = questions()
  bridge.clock.wallOffsetMs += 24 * 3_600_000
  await bridge.restart()
  // The host's clock says that its time has come, so the platform is asked, and its Date corrects the clock.
  await until(() => questions() > before)
  await until(async () => (await stateOf(bridge)) === 'put-off')
  bridge.clock.advance(300_000)
  await bridge.orders()
  expect(receiver.received).toHaveLength(1)
})

test('a report waits for as long as the platform says', async () => {
  await using receiver = await startReceiver(answering(200, { observedQuantity: 3, result: 'DELIVERED' }))
  await using bridge = await startTestBridge({ forwardUrl: receiver.url, config: { callDeadlineMs: 2_000 } })
  const reports = () => requestsTo(bridge, delivery).length
  bridge.platform.reply = (request) =>
    request.path === delivery ? { status: 503, retryAfterS: 120 } : goodReply(request)
  await bridge.webhook(order)
  await until(() => reports() === 1)
  await until(async () => bridge.agent.logLines().some(({ msg }) => msg.startsWith('a result was not accepted')))
  bridge.clock.advance(60_000)
  await bridge.orders()
  expect(reports()).toBe(1)
  bridge.platform.reply = goodReply
  await until(async () => {
    bridge.clock.advance(10_000)
    return (await bridge.orders()).closed[0]?.['reported'] === 'DELIVERED'
  })
})

test('a report waits for an hour at most, whatever an answer asks for', async () => {
  await using receiver = await startReceiver(answering(200, { observedQuantity: 3, result: 'DELIVERED' }))
  await using bridge = await startTestBridge({ forwardUrl: receiver.url, config: { callDeadlineMs: 2_000 } })
  bridge.platform.reply = (request) =>
    request.path === delivery ? { status: 503, retryAfterS: 30 * 24 * 3_600 } : goodReply(request)
  await bridge.webhook(order)
  await until(async () => bridge.agent.logLines().some(({ msg }) => msg.startsWith('a result was not accepted')))
  bridge.platform.reply = goodReply
  bridge.clock.advance(3_600_000)
  await until(async () => (await bridge.orders()).closed[0]?.['reported'] === 'DELIVERED')
})
