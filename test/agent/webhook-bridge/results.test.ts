import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { limits } from '../../../contract/limits.ts'
import { until } from '../../../scripts/until.ts'
import { answering, startReceiver } from '../../platform-stub/fixtures/receiver.ts'
import { end, order } from '../fixtures/events.ts'
import { goodReply, type PlatformReply } from '../fixtures/fake-platform.ts'
import { startTestBridge, type TestBridge } from '../fixtures/test-bridge.ts'

const delivery = '/v1/api/transactions/17/delivery'
const failure = `${delivery}-failure`
const delivered = { observedQuantity: 4, result: 'DELIVERED' }
const shown = (paymentStatus: string, deliveryStatus: string): PlatformReply => ({
  ...{ status: 200, body: JSON.stringify({ data: { transactionId: 17, paymentStatus, deliveryStatus } }) },
})
const reportsTo = ({ platform }: TestBridge, path: string) => platform.requests.filter((one) => one.path === path)
const closedOf = async (bridge: TestBridge) => (await bridge.orders()).closed[0]

/** Lets time pass until something holds. */
function afterAWhile<Found>(bridge: TestBridge, find: () => Found | Promise<Found>): Promise<NonNullable<Found>> {
  return until(async () => {
    bridge.clock.advance(1_000)
    return find()
  }) as Promise<NonNullable<Found>>
}

/** The platform answers reports with `report`, and questions with `state`. */
function platformSays(bridge: TestBridge, report: PlatformReply, state?: PlatformReply): void {
  bridge.platform.reply = (request) => {
    if (request.method === 'POST') return report
    return state && request.path.endsWith('/17') ? state : goodReply(request)
  }
}

for (const body of [delivered, { data: delivered }])
  test(`one reply delivers an order: the agent acknowledges it and reports, ${'data' in body ? 'under data' : 'bare'}`, async () => {
    await using receiver = await startReceiver(answering(200, body))
    await using bridge = await startTestBridge({ forwardUrl: receiver.url })
    expect(await bridge.webhook(order)).toEqual({ status: 200, body: { observedQuantity: 4 } })
    await until(async () => (await closedOf(bridge))?.['reported'] === 'DELIVERED')
    expect(reportsTo(bridge, delivery).map(({ body }) => body)).toEqual(['{}'])
    expect(receiver.received).toHaveLength(1)
  })

test('OUT_OF_STOCK by a file is reported with its observation and its detail', async () => {
  await using bridge = await startTestBridge({ withSpool: true })
  const answer = bridge.webhook(order)
  await until(() => readFileSync(join(bridge.spoolDir, 'events', 'transfer_order-17.json')))
  const path = join(bridge.spoolDir, 'replies', 'transfer_order-17.json')
  const reply = { observedQuantity: 0, result: 'OUT_OF_STOCK', detail: 'vendido' }
  writeFileSync(`${path}.tmp`, `\ufeff${JSON.stringify(reply)}`)
  renameSync(`${path}.tmp`, path)
  expect(await answer).toEqual({ status: 200, body: { observedQuantity: 0 } })
  await until(async () => (await closedOf(bridge))?.['reported'] === 'OUT_OF_STOCK')
  const [report] = reportsTo(bridge, failure)
  expect(JSON.parse(report?.body ?? '')).toEqual({ reason: 'OUT_OF_STOCK', observedQuantity: 0, detail: 'vendido' })
})

test('TEMPORARY by orders.take puts the order off, and the next one is offered again', async () => {
  await using bridge = await startTestBridge()
  const retryAt = new Date(bridge.clock.wallMs() + 60_000).toISOString()
  const waiting = { transactionId: 17, paymentStatus: 'PAGO', deliveryStatus: 'AGUARDANDO_SERVIDOR' }
  platformSays(bridge, {
    ...{ status: 200, body: JSON.stringify({ data: { ...waiting, refundStarted: false, retryAt } }) },
  })
  const answer = bridge.webhook(order)
  await until(async () => (await bridge.orders()).open.length === 1)
  const take = { transactionId: 17, observedQuantity: 3, result: 'TEMPORARY' }
  expect(await bridge.agent.call('orders.take', take)).toMatchObject({ ok: true, data: { result: 'TEMPORARY' } })
  expect(await answer).toEqual({ status: 200, body: { observedQuantity: 3 } })
  await until(async () => (await bridge.orders()).open[0]?.['state'] === 'put-off')
  expect((await bridge.orders()).open[0]).toMatchObject({ retryAt })
  const again = bridge.webhook(order)
  await until(async () => (await bridge.orders()).open[0]?.['state'] === 'offered')
  platformSays(bridge, goodReply({ method: 'POST', path: delivery, body: '{}', jti: '' }))
  await bridge.agent.call('orders.take', { transactionId: 17, ...delivered })
  expect(await again).toEqual({ status: 200, body: { observedQuantity: 4 } })
  await until(async () => (await closedOf(bridge))?.['reported'] === 'DELIVERED')
})

test('the same result again is harmless, also when it was reported; another one is refused with 409', async () => {
  await using bridge = await startTestBridge()
  const answer = bridge.webhook(order)
  await until(async () => (await bridge.orders()).open.length === 1)
  const take = (result: string) => bridge.agent.call('orders.take', { transactionId: 17, observedQuantity: 4, result })
  expect(await take('DELIVERED')).toMatchObject({ ok: true, data: { result: 'DELIVERED' } })
  await answer
  await until(async () => (await closedOf(bridge))?.['reported'] === 'DELIVERED')
  expect(await take('DELIVERED')).toMatchObject({ ok: true, data: { state: 'closed' } })
  expect(await take('OUT_OF_STOCK')).toMatchObject({ ok: false, status: 409, code: 'ORDER_RESULT_DIFFERS' })
  expect(await take('delivered')).toMatchObject({ ok: false, status: 400 })
  expect(reportsTo(bridge, failure)).toEqual([])
})

test('a result is reported until the platform accepts it, days later too, after a restart, and at growing intervals', async () => {
  await using receiver = await startReceiver(answering(200, delivered))
  await using bridge = await startTestBridge({ forwardUrl: receiver.url, config: { callDeadlineMs: 1_000 } })
  platformSays(bridge, { status: 503 })
  expect((await bridge.webhook(order)).status).toBe(200)
  await afterAWhile(bridge, () => reportsTo(bridge, delivery).length >= 3)
  bridge.clock.advance(3 * 24 * 3_600_000)
  await bridge.restart()
  const before = reportsTo(bridge, delivery).length
  await afterAWhile(bridge, () => reportsTo(bridge, delivery).length > before)
  bridge.platform.reply = goodReply
  await afterAWhile(bridge, async () => (await closedOf(bridge))?.['reported'] === 'DELIVERED')
  expect(receiver.received).toHaveLength(1)
})

test('a 409 while a dispute is open is not the end: the delivery is accepted when the dispute is rejected', async () => {
  await using receiver = await startReceiver(answering(200, delivered))
  await using bridge = await startTestBridge({ forwardUrl: receiver.url })
  let isDisputed = false
  bridge.platform.reply = (request) => {
    if (request.path === delivery) isDisputed = reportsTo(bridge, delivery).length === 1
    if (isDisputed && request.method === 'POST') return { status: 409, body: '{"message":"em disputa"}' }
    return isDisputed ? shown('PAGO', 'EM_DISPUTA') : goodReply(request)
  }
  expect((await bridge.webhook(order)).status).toBe(200)
  await until(async () => (await bridge.orders()).open[0]?.['state'] === 'reporting')
  await afterAWhile(bridge, async () => (await closedOf(bridge))?.['reported'] === 'DELIVERED')
})

test('a DELIVERED that comes after a refund is logged with what staff must do', async () => {
  const isRefunded = Promise.withResolvers<void>()
  await using receiver = await startReceiver(async (request, response) => {
    await isRefunded.promise
    return answering(200, delivered)(request, response)
  })
  await using bridge = await startTestBridge({ forwardUrl: receiver.url })
  const answer = bridge.webhook(order)
  await until(() => receiver.received.length === 1)
  bridge.platform.reply = () => shown('ESTORNADO', 'EM_DISPUTA')
  const terminal = { ...end, paymentStatus: 'ESTORNADO', deliveryStatus: 'EM_DISPUTA' }
  const ended = bridge.webhook(terminal)
  await answer
  isRefunded.resolve()
  await ended
  const line = await until(() =>
    bridge.agent.logLines().find(({ msg }) => msg === 'a result came after the order was over'),
  )
  expect(line).toMatchObject({ level: 'warn', result: 'DELIVERED', cure: expect.stringMatching(/take the item back/) })
})

test('a delivery that the platform can never accept closes the order with a warning that says what staff must do', async () => {
  await using receiver = await startReceiver(answering(200, delivered))
  await using bridge = await startTestBridge({ forwardUrl: receiver.url })
  let isRefunded = false
  bridge.platform.reply = (request) => {
    if (request.path === delivery) isRefunded = true
    if (request.path === delivery) return { status: 409, body: '{"message":"estornada"}' }
    return isRefunded ? shown('ESTORNADO', 'EM_DISPUTA') : goodReply(request)
  }
  expect((await bridge.webhook(order)).status).toBe(200)
  await until(async () => (await closedOf(bridge))?.['outcome'] === 'ESTORNADA')
  const line = await until(() =>
    bridge.agent.logLines().find(({ msg }) => msg.startsWith('order closed: the platform says')),
  )
  expect(line).toMatchObject({ level: 'warn', cure: expect.stringMatching(/take the item back/) })
  expect(await closedOf(bridge)).toMatchObject({ result: 'DELIVERED', reported: null })
})

test('the end of a transaction says what was reported of it', async () => {
  await using receiver = await startReceiver(answering(200, delivered))
  await using bridge = await startTestBridge({ forwardUrl: receiver.url })
  await bridge.webhook(order)
  await until(async () => (await closedOf(bridge))?.['reported'] === 'DELIVERED')
  await bridge.webhook({ ...end, paymentStatus: 'PAGO', deliveryStatus: 'ENTREGUE', reason: null })
  const { event } = await receiver.event('transaction_terminal')
  expect(event).toMatchObject({ outcome: 'CONCLUIDA', reported: 'DELIVERED' })
})

const disputed = { paymentStatus: 'ESTORNADO', deliveryStatus: 'EM_DISPUTA' }
/** How a transaction ended, and what the platform shows besides that. */
const ends = {
  cancelled: { said: { paymentStatus: 'CANCELADO', deliveryStatus: null } },
  'of another item': { said: { ...disputed, itemRef: 'shield-1' } },
  'of another buyer': { said: disputed, shown: { buyerCharacterRef: 'Carla' } },
  'paid at another time': { said: disputed, shown: { paidAt: '2026-11-22T11:00:00.000Z' } },
  'never delivered': { said: { paymentStatus: 'ESTORNADO', deliveryStatus: 'FALHOU' } },
  // A buyer may dispute what was delivered.
  'the same': { said: disputed, shown: { paidAt: '2026-11-21T11:00:00.000Z' } },
  'the same, with a time that is not one': { said: disputed, shown: { paidAt: { toString: 1, valueOf: 1 } } },
}

for (const [what, { said, shown: alsoShown = {} }] of Object.entries<{ said: object; shown?: object }>(ends))
  test(`the end of a transaction says what was reported of it, and not of an earlier one of its number (${what})`, async () => {
    await using receiver = await startReceiver(answering(200, delivered))
    await using bridge = await startTestBridge({ forwardUrl: receiver.url })
    await bridge.webhook(order)
    await until(async () => (await closedOf(bridge))?.['reported'] === 'DELIVERED')
    // The platform may have been set up again.
    const state = { status: 200, body: JSON.stringify({ data: { transactionId: 17, ...said, ...alsoShown } }) }
    bridge.platform.reply = () => state
    await bridge.webhook({ ...end, reason: null, ...said })
    const { event } = await receiver.event('transaction_terminal')
    expect(event['reported']).toBe(what.startsWith('the same') ? 'DELIVERED' : null)
  })

test("the agent's own questions and reports are not counted or logged as calls of the game server", async () => {
  await using receiver = await startReceiver(answering(200, delivered))
  await using bridge = await startTestBridge({ forwardUrl: receiver.url })
  await bridge.webhook(order)
  await until(async () => (await closedOf(bridge))?.['reported'] === 'DELIVERED')
  const lines = bridge.agent
    .logLines()
    .filter(({ msg, ...line }) => msg === 'call answered' && line['operation'] !== 'orders.open')
  expect(lines).toEqual([])
  const metrics = await (await fetch(`${bridge.agent.url}/metrics`)).text()
  expect(metrics).toMatch(/calls_total\{operation="transaction.delivery",outcome="ok",source="platform"\} 0/)
})

for (const status of [400, 413, 422])
  test(`a report that is refused with its detail (${status}) is made again without it`, async () => {
    await using bridge = await startTestBridge()
    const answer = bridge.webhook(order)
    await until(async () => (await bridge.orders()).open.length === 1)
    bridge.platform.reply = (request) =>
      request.path === failure && 'detail' in JSON.parse(request.body)
        ? { status, body: '{"message":"detail é longo demais."}' }
        : goodReply(request)
    const reply = { observedQuantity: 0, result: 'OUT_OF_STOCK', detail: 'gone' }
    await bridge.agent.call('orders.take', { transactionId: 17, ...reply })
    expect((await answer).status).toBe(200)
    await afterAWhile(bridge, async () => (await closedOf(bridge))?.['reported'] === 'OUT_OF_STOCK')
    expect(reportsTo(bridge, failure).map(({ body }) => JSON.parse(body).detail)).toEqual(['gone', undefined])
  })

test('a detail that is longer than a request may be is cut, and its order is reported', async () => {
  const reply = { observedQuantity: 0, result: 'OUT_OF_STOCK', detail: '\u0001🗡'.repeat(90_000) }
  await using receiver = await startReceiver(answering(200, reply))
  await using bridge = await startTestBridge({ forwardUrl: receiver.url })
  await bridge.webhook(order)
  await until(async () => (await closedOf(bridge))?.['reported'] === 'OUT_OF_STOCK')
  const [report] = reportsTo(bridge, failure)
  expect(report?.body.length).toBeLessThan(limits.bodyBytesMax)
  expect(JSON.parse(report?.body ?? '').detail).toBe(`${'\u0001🗡'.repeat(500)}…`)
})
