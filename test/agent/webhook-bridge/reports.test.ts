import { expect, test } from 'vitest'
import { until } from '../../../scripts/until.ts'
import { answering, startReceiver } from '../../platform-stub/fixtures/receiver.ts'
import { end, order } from '../fixtures/events.ts'
import { goodReply } from '../fixtures/fake-platform.ts'
import { startTestBridge, type TestBridge } from '../fixtures/test-bridge.ts'

const data = (value: object) => ({ status: 200, body: JSON.stringify({ data: value }) })
const stateOf = async (bridge: TestBridge) => (await bridge.orders()).open[0]?.['state']

/** An order that the game server took and the platform has our 2xx for. */
async function takeOrder(bridge: TestBridge): Promise<void> {
  const answer = bridge.webhook(order)
  await until(async () => (await stateOf(bridge)) === 'offered')
  await bridge.agent.call('orders.take', { transactionId: 17, observedQuantity: 3 })
  expect((await answer).status).toBe(200)
  await until(async () => bridge.agent.logLines().some(({ msg }) => msg === 'order acknowledged to the platform'))
}

/**
 * Lets three minutes pass, and three more, until the game server is offered its order again. A jump may cut the
 * question to the platform on a slow machine: then the next one asks it again.
 */
async function passUntilOffered(bridge: TestBridge): Promise<void> {
  const looks = () => bridge.clock.delaysMs.filter((delayMs) => delayMs === 200).length
  const isOffered = async () => (await stateOf(bridge)) === 'offered'
  while (!(await isOffered())) {
    const looksBefore = looks()
    bridge.clock.advance(180_000)
    await until(async () => (await isOffered()) || looks() > looksBefore + 4)
  }
}

test('a confirmed delivery closes its order, and its end is still handed over', async () => {
  await using bridge = await startTestBridge()
  await takeOrder(bridge)
  expect(await bridge.agent.call('transaction.delivery', { transactionId: 17 }, 'd-17')).toMatchObject({ ok: true })
  expect(await bridge.orders()).toMatchObject({ open: [], closed: [{ transactionId: 17, outcome: null }] })
  await bridge.webhook({ ...end, paymentStatus: 'PAGO', deliveryStatus: 'ENTREGUE', reason: null })
  expect(await bridge.orders()).toMatchObject({ closed: [{ transactionId: 17, outcome: 'CONCLUIDA' }] })
})

test('a delivery that the platform refuses, or does not answer, closes nothing', async () => {
  await using bridge = await startTestBridge({ config: { callDeadlineMs: 1_000 } })
  await takeOrder(bridge)
  for (const status of [409, 500]) {
    bridge.platform.reply = (request) => (request.path.endsWith('/delivery') ? { status } : goodReply(request))
    const answer = bridge.agent.call('transaction.delivery', { transactionId: 17 })
    const answered = answer.then(() => true)
    await Promise.race([answered, until(async () => void bridge.clock.advance(500))])
    expect(await answer).toMatchObject({ ok: false })
    expect(await stateOf(bridge)).toBe('taken')
  }
})

test('OUT_OF_STOCK closes the order and gives a warning if its own observation covers the order', async () => {
  await using bridge = await startTestBridge()
  await takeOrder(bridge)
  const failure = { transactionId: 17, reason: 'OUT_OF_STOCK', observedQuantity: 2 }
  expect(await bridge.agent.call('transaction.delivery-failure', failure)).toMatchObject({ ok: true })
  expect((await bridge.orders()).open).toEqual([])
  expect(bridge.agent.logLines().find(({ msg }) => msg.startsWith('order closed'))).toMatchObject({
    level: 'warn',
    transactionId: 17,
    cure: expect.stringContaining('a refund cannot be undone'),
  })
})

test('OUT_OF_STOCK with less than the order is not a reason for a warning', async () => {
  await using bridge = await startTestBridge()
  await takeOrder(bridge)
  const failure = { transactionId: 17, reason: 'OUT_OF_STOCK', observedQuantity: 1 }
  await bridge.agent.call('transaction.delivery-failure', failure)
  expect(bridge.agent.logLines().find(({ msg }) => msg.startsWith('order closed'))).toMatchObject({ level: 'info' })
})

test('an order that is reported OUT_OF_STOCK while its webhook waits is answered with that observation', async () => {
  await using bridge = await startTestBridge()
  const answer = bridge.webhook(order)
  await until(async () => (await stateOf(bridge)) === 'offered')
  const failure = { transactionId: 17, reason: 'OUT_OF_STOCK', observedQuantity: 0 }
  await bridge.agent.call('transaction.delivery-failure', failure)
  expect(await answer).toEqual({ status: 200, body: { observedQuantity: 0 } })
})

test('a TEMPORARY report is noted before its first byte leaves, so the next order is a new one although the report was lost', async () => {
  await using bridge = await startTestBridge()
  await takeOrder(bridge)
  const noted: boolean[] = []
  const isNoted = () => bridge.agent.logLines().some(({ msg }) => msg === 'TEMPORARY is about to be reported')
  bridge.platform.reply = (request) => {
    if (!request.path.endsWith('/delivery-failure')) return goodReply(request)
    noted.push(isNoted())
    return { status: 200, body: 'cut' }
  }
  const failure = { transactionId: 17, reason: 'TEMPORARY', observedQuantity: 3 }
  expect(await bridge.agent.call('transaction.delivery-failure', failure)).toMatchObject({ ok: false, uncertain: true })
  expect(noted).toEqual([true])
  const answer = bridge.webhook(order)
  await until(async () => (await stateOf(bridge)) === 'offered')
  await bridge.agent.call('orders.take', { transactionId: 17, observedQuantity: 1 })
  expect(await answer).toEqual({ status: 200, body: { observedQuantity: 1 } })
})

test('an order that was put off is not offered again before its retryAt, by the clock of the platform', async () => {
  await using bridge = await startTestBridge()
  bridge.platform.dateMs = () => bridge.clock.wallMs()
  await takeOrder(bridge)
  const retryAt = new Date(bridge.clock.wallMs() + 600_000).toISOString()
  const waiting = { transactionId: 17, paymentStatus: 'PAGO', deliveryStatus: 'AGUARDANDO_SERVIDOR' }
  bridge.platform.reply = (request) =>
    request.path.endsWith('/delivery-failure')
      ? data({ ...waiting, refundStarted: false, retryAt })
      : goodReply(request)
  const failure = { transactionId: 17, reason: 'TEMPORARY', observedQuantity: 3 }
  await bridge.agent.call('transaction.delivery-failure', failure)
  expect((await bridge.orders()).open).toMatchObject([{ state: 'put-off', retryAt }])
  const questions = () => bridge.platform.requests.filter(({ method }) => method === 'GET').length
  const asked = questions()
  await bridge.restart()
  expect(questions()).toBe(asked)
  const checked = await fetch(`${bridge.agent.url}/orders/check`, { method: 'POST' })
  expect(await checked.json()).toEqual({ ok: true, data: { asked: 1, unanswered: 0 } })
  expect((await bridge.orders()).open).toMatchObject([{ state: 'put-off', retryAt }])
  await passUntilOffered(bridge)
  expect(bridge.clock.wallMs()).toBeGreaterThanOrEqual(Date.parse(retryAt))
})

test('a replayed answer of a report is not a second report', async () => {
  await using bridge = await startTestBridge()
  await takeOrder(bridge)
  const retryAt = new Date(bridge.clock.wallMs() + 600_000).toISOString()
  const waiting = { transactionId: 17, paymentStatus: 'PAGO', deliveryStatus: 'AGUARDANDO_SERVIDOR' }
  bridge.platform.reply = () => data({ ...waiting, refundStarted: false, retryAt })
  const failure = { transactionId: 17, reason: 'TEMPORARY', observedQuantity: 3 }
  await bridge.agent.call('transaction.delivery-failure', failure, 'f-17')
  const answer = bridge.webhook(order)
  await until(async () => (await stateOf(bridge)) === 'offered')
  expect(await bridge.agent.call('transaction.delivery-failure', failure, 'f-17')).toMatchObject({ replayed: true })
  expect(await stateOf(bridge)).toBe('offered')
  bridge.clock.advance(9_001)
  await answer
})

test('at the start and every three minutes the platform is asked, and what it still waits for is offered again', async () => {
  await using bridge = await startTestBridge()
  await takeOrder(bridge)
  await bridge.restart()
  await until(async () => (await stateOf(bridge)) === 'offered')
  await bridge.agent.call('orders.take', { transactionId: 17, observedQuantity: 3 })
  await passUntilOffered(bridge)
})

for (const [what, reply, expected] of [
  ['delivered', data({ transactionId: 17, paymentStatus: 'PAGO', deliveryStatus: 'ENTREGUE' }), 'closed'],
  ['refunded', data({ transactionId: 17, paymentStatus: 'ESTORNADO', deliveryStatus: 'FALHOU' }), 'closed'],
  ['unknown', { status: 404, body: '{"message":"não existe"}' }, 'taken'],
  ['unknown to a proxy', { status: 404, body: '<html>' }, 'taken'],
  ['in dispute', data({ transactionId: 17, paymentStatus: 'PAGO', deliveryStatus: 'EM_DISPUTA' }), 'taken'],
  ['in a state of the future', data({ transactionId: 17, paymentStatus: 'PAGO', deliveryStatus: 'NOVO' }), 'taken'],
  ['refused for its key', { status: 401, body: '{"message":"não"}' }, 'taken'],
  ['garbled', { status: 200, body: '{"data":' }, 'taken'],
] as const) {
  test(`an order whose transaction is ${what} at the platform is ${expected} after it was asked`, async () => {
    await using bridge = await startTestBridge({ config: { callDeadlineMs: 1_000 } })
    await takeOrder(bridge)
    bridge.platform.reply = () => reply
    const checked = fetch(`${bridge.agent.url}/orders/check`, { method: 'POST' })
    const answered = checked.then(() => true)
    const isUnanswered = ['in a state', 'refused for', 'garbled', 'unknown to a proxy'].some((one) =>
      what.startsWith(one),
    )
    // Until the agent does not ask any more. A question that is answered would be cut on a slow machine.
    if (isUnanswered) await Promise.race([answered, until(async () => void bridge.clock.advance(500))])
    expect(await (await checked).json()).toMatchObject({ data: { asked: 1, unanswered: isUnanswered ? 1 : 0 } })
    const { open, closed } = await bridge.orders()
    expect([...open, ...closed]).toMatchObject([{ transactionId: 17, state: expected }])
    const doubts = bridge.agent.logLines().filter(({ msg }) => msg.startsWith('order kept open for a day'))
    expect(doubts).toMatchObject(what === 'unknown' ? [{ level: 'warn', cure: expect.any(String) }] : [])
  })
}

const dayMs = 24 * 3_600_000

/** Resolves when the agent has looked for what was closed 30 days ago, and removed the end of this transaction. */
function removed({ agent, clock }: TestBridge, transactionId: number): Promise<boolean> {
  return until(() => {
    clock.advance(3_600_000)
    return agent.logLines().some((line) => /^order removed/.test(line.msg) && line['transactionId'] === transactionId)
  })
}

async function isKnown({ agent }: TestBridge, transactionId: number): Promise<boolean> {
  return (await agent.call('orders.take', { transactionId, observedQuantity: 1 }))['status'] !== 404
}

test('an end is removed after 30 days, and not before', async () => {
  await using bridge = await startTestBridge()
  await bridge.webhook(end)
  bridge.clock.advance(2 * dayMs)
  await bridge.webhook({ ...end, transactionId: 18 }, { expS: Math.floor(bridge.clock.wallMs() / 1000) + 300 })
  bridge.clock.advance(29 * dayMs)
  await removed(bridge, 17)
  expect([await isKnown(bridge, 17), await isKnown(bridge, 18)]).toEqual([false, true])
})

test('a wall clock that somebody sets ahead neither hides an end nor removes it earlier', async () => {
  await using bridge = await startTestBridge()
  await bridge.webhook(end)
  bridge.clock.wallOffsetMs += 365 * dayMs
  bridge.clock.advance(20 * 3_600_000)
  expect((await bridge.orders()).closed).toHaveLength(1)
  bridge.clock.advance(28 * dayMs)
  expect(await isKnown(bridge, 17)).toBe(true)
  await removed(bridge, 17)
})

test('an end that is still to be handed on is not removed, however old it is', async () => {
  await using receiver = await startReceiver(({ event }, response) =>
    response.writeHead(event.transactionId === 17 ? 503 : 200).end(),
  )
  await using bridge = await startTestBridge({ forwardUrl: receiver.url })
  await bridge.webhook(end)
  await bridge.webhook({ ...end, transactionId: 18 })
  await until(() => bridge.agent.logLines().some(({ msg }) => /^terminal event handed on/.test(msg)))
  bridge.clock.advance(31 * dayMs)
  await removed(bridge, 18)
  expect(await isKnown(bridge, 17)).toBe(true)
  receiver.reply(answering(200))
  await removed(bridge, 17)
})
