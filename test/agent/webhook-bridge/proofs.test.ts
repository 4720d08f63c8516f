import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../../../scripts/until.ts'
import { answering, startReceiver } from '../../platform-stub/fixtures/receiver.ts'
import { end, order } from '../fixtures/events.ts'
import { goodReply } from '../fixtures/fake-platform.ts'
import { namesIn } from '../fixtures/spool-fixture.ts'
import { startTestBridge, type TestBridge } from '../fixtures/test-bridge.ts'

const refused = { status: 404, body: '{"message":"A transação não existe."}' }
const ofAProxy = { status: 404, body: '<html>not found</html>' }
const shown = (fields: object) => ({
  ...{
    status: 200,
    body: JSON.stringify({
      data: { transactionId: 17, paymentStatus: 'PAGO', deliveryStatus: 'AGUARDANDO_SERVIDOR', ...fields },
    }),
  },
})
const questions = ({ platform }: TestBridge) => platform.requests.filter(({ method }) => method === 'GET').length
const warnings = ({ agent }: TestBridge) => agent.logLines().filter(({ level }) => level === 'warn')

async function allOrders({ agent }: TestBridge): Promise<readonly Record<string, unknown>[]> {
  const { data } = (await (await fetch(`${agent.url}/orders`)).json()) as {
    data: { orders: Record<string, unknown>[] }
  }
  return data.orders
}

const check = ({ agent }: TestBridge) => fetch(`${agent.url}/orders/check`, { method: 'POST' })

for (const status of [403, 404])
  test(`an order that the platform does not know under our key (${status}) is never handed over: 404, a warning, and nothing in the ledger`, async () => {
    await using receiver = await startReceiver()
    await using bridge = await startTestBridge({ forwardUrl: receiver.url })
    bridge.platform.reply = () => ({ ...refused, status })
    expect((await bridge.webhook(order)).status).toBe(404)
    expect((await bridge.webhook(end)).status).toBe(404)
    expect(await allOrders(bridge)).toEqual([])
    expect(await bridge.orders()).toEqual({ open: [], closed: [] })
    expect(receiver.received).toEqual([])
    expect(warnings(bridge)).toContainEqual(
      expect.objectContaining({
        msg: 'webhook refused',
        status: 404,
        cure: expect.stringContaining('another game server'),
      }),
    )
  })

for (const [field, value] of [
  ['itemRef', 'shield-9'],
  ['quantity', 3],
  ['buyerCharacterRef', 'Caio'],
] as const)
  test(`an order whose ${field} the platform shows otherwise is not handed over`, async () => {
    await using receiver = await startReceiver()
    await using bridge = await startTestBridge({ forwardUrl: receiver.url })
    bridge.platform.reply = () => shown({ [field]: value })
    expect((await bridge.webhook(order)).status).toBe(404)
    expect(receiver.received).toEqual([])
    expect(await allOrders(bridge)).toEqual([])
  })

for (const [what, reply] of [
  ['refunded', shown({ paymentStatus: 'ESTORNADO', deliveryStatus: 'EM_DISPUTA' })],
  ['delivered', shown({ deliveryStatus: 'ENTREGUE' })],
] as const)
  test(`an order that is ${what} when its webhook comes is not handed over, and the platform gets its 2xx`, async () => {
    await using receiver = await startReceiver()
    await using bridge = await startTestBridge({ forwardUrl: receiver.url })
    bridge.platform.reply = () => reply
    expect(await bridge.webhook(order)).toEqual({ status: 200, body: {} })
    expect(receiver.received).toEqual([])
  })

test("a proxy's 404 proves nothing: the order waits as received, shown to the operator only, until the platform is asked", async () => {
  await using receiver = await startReceiver()
  await using bridge = await startTestBridge({ forwardUrl: receiver.url })
  bridge.platform.reply = () => ofAProxy
  const answer = bridge.webhook(order)
  await until(async () => (await allOrders(bridge))[0]?.['state'] === 'received')
  expect((await bridge.orders()).open).toEqual([])
  bridge.clock.advance(9_001)
  expect((await answer).status).toBe(503)
  expect(receiver.received).toEqual([])
  bridge.platform.reply = goodReply
  await until(async () => {
    bridge.clock.advance(1_000)
    return receiver.received.length === 1
  })
})

test('an order that is disputed while it waits is not handed over before the dispute is rejected', async () => {
  await using receiver = await startReceiver()
  await using bridge = await startTestBridge({ forwardUrl: receiver.url })
  bridge.platform.reply = () => shown({ deliveryStatus: 'EM_DISPUTA' })
  const answer = bridge.webhook(order)
  await until(() => questions(bridge) === 1)
  bridge.clock.advance(9_001)
  expect((await answer).status).toBe(503)
  expect(receiver.received).toEqual([])
  bridge.platform.reply = goodReply
  await until(async () => {
    bridge.clock.advance(1_000)
    return receiver.received.length === 1
  })
})

test('an order that was refunded while the agent was down is not pushed after the start', async () => {
  await using receiver = await startReceiver(answering(500))
  await using bridge = await startTestBridge({ forwardUrl: receiver.url })
  const answer = bridge.webhook(order)
  await receiver.count(1)
  await bridge.agent.close()
  await answer
  bridge.platform.reply = () => shown({ paymentStatus: 'ESTORNADO', deliveryStatus: 'EM_DISPUTA' })
  receiver.reply(answering(200, { observedQuantity: 4 }))
  await bridge.restart()
  await until(async () => (await bridge.orders()).closed.length === 1)
  expect((await bridge.orders()).closed).toMatchObject([{ outcome: 'ESTORNADA' }])
  expect(receiver.received).toHaveLength(1)
})

test('an offer that is repeated after a minute asks the platform again first', async () => {
  await using receiver = await startReceiver(answering(500))
  await using bridge = await startTestBridge({ forwardUrl: receiver.url })
  const answer = bridge.webhook(order)
  await receiver.count(1)
  bridge.clock.advance(9_001)
  await answer
  bridge.platform.reply = () => shown({ paymentStatus: 'ESTORNADO', deliveryStatus: 'EM_DISPUTA' })
  const pushed = receiver.received.length
  bridge.clock.advance(61_000)
  await until(async () => (await bridge.orders()).closed.length === 1)
  expect(receiver.received.length).toBe(pushed)
})

test('orders.open lists an order only on an answer that is at most a minute old, and asks for it', async () => {
  await using bridge = await startTestBridge()
  const answer = bridge.webhook(order)
  await until(async () => (await bridge.orders()).open.length === 1)
  bridge.clock.advance(9_001)
  await answer
  const asked = questions(bridge)
  expect((await bridge.orders()).open).toHaveLength(1)
  expect(questions(bridge)).toBe(asked)
  bridge.clock.advance(61_000)
  bridge.platform.reply = () => shown({ paymentStatus: 'ESTORNADO', deliveryStatus: 'EM_DISPUTA' })
  expect(await bridge.orders()).toMatchObject({ open: [], closed: [{ outcome: 'ESTORNADA' }] })
})

test('an event file says until when it may be acted on and is renewed while the platform waits', async () => {
  await using bridge = await startTestBridge({ withSpool: true })
  const path = join(bridge.spoolDir, 'events', 'transfer_order-17.json')
  const untilMs = () => Date.parse(JSON.parse(readFileSync(path, 'utf8')).actUntil)
  const answer = bridge.webhook(order)
  const first = await until(untilMs)
  bridge.clock.advance(9_001)
  await answer
  bridge.clock.advance(61_000)
  await until(() => untilMs() > first)
  expect((await bridge.orders()).open).toMatchObject([{ offers: 1 }])
  bridge.platform.reply = () => shown({ paymentStatus: 'ESTORNADO', deliveryStatus: 'EM_DISPUTA' })
  bridge.clock.advance(61_000)
  await until(() => namesIn(join(bridge.spoolDir, 'events')).length === 0)
})

test('a file that a dead agent left is renewed or removed by what the platform answers, also once events/ can be used again', async () => {
  await using bridge = await startTestBridge({ withSpool: true })
  const events = join(bridge.spoolDir, 'events')
  const answer = bridge.webhook(order)
  await until(() => readFileSync(join(events, 'transfer_order-17.json')))
  await bridge.agent.close()
  await answer
  bridge.platform.reply = () => shown({ paymentStatus: 'ESTORNADO', deliveryStatus: 'EM_DISPUTA' })
  rmSync(events, { recursive: true })
  writeFileSync(events, '')
  await bridge.restart()
  await until(async () => (await bridge.orders()).closed.length === 1)
  rmSync(events)
  mkdirSync(events)
  writeFileSync(join(events, 'transfer_order-17.json'), JSON.stringify(order))
  await until(() => {
    bridge.clock.advance(250)
    return readdirSync(events).length === 0
  })
})

test('events that were removed with their directory are shown again', async () => {
  await using bridge = await startTestBridge({ withSpool: true })
  const events = join(bridge.spoolDir, 'events')
  bridge.platform.reply = () => shown({ paymentStatus: 'ESTORNADO', deliveryStatus: 'FALHOU' })
  expect((await bridge.webhook(end)).status).toBe(200)
  await until(() => readFileSync(join(events, 'transaction_terminal-17.json')))
  rmSync(events, { recursive: true })
  await until(() => readFileSync(join(events, 'transaction_terminal-17.json')))
})

test('an event that was removed with its directory is shown again, although a bad reply was being read', async () => {
  await using bridge = await startTestBridge({ withSpool: true })
  const event = join(bridge.spoolDir, 'events', 'transaction_terminal-17.json')
  const reply = join(bridge.spoolDir, 'replies', 'transaction_terminal-17.json')
  expect((await bridge.webhook(end)).status).toBe(200)
  await until(() => existsSync(event))
  const looks = bridge.clock.delaysMs.filter((ms) => ms === 200).length
  writeFileSync(reply, '{')
  await until(() => bridge.clock.delaysMs.filter((ms) => ms === 200).length > looks + 2)
  rmSync(join(bridge.spoolDir, 'events'), { recursive: true })
  await until(() => existsSync(event))
})

test('with a forward URL the files of an earlier way go', async () => {
  await using receiver = await startReceiver()
  await using bridge = await startTestBridge({ forwardUrl: receiver.url, withSpool: true })
  const events = join(bridge.spoolDir, 'events')
  mkdirSync(events, { recursive: true })
  writeFileSync(join(events, 'transfer_order-17.json'), JSON.stringify(order))
  await bridge.restart()
  await until(() => readdirSync(events).length === 0)
})

test('no single refusal closes an order that was taken; a day of nothing else does, and any other answer begins the day again', async () => {
  await using bridge = await startTestBridge()
  const answer = bridge.webhook(order)
  await until(async () => (await bridge.orders()).open.length === 1)
  await bridge.agent.call('orders.take', { transactionId: 17, observedQuantity: 3 })
  await answer
  const state = async () => (await allOrders(bridge))[0]?.['state']
  bridge.platform.reply = () => refused
  await check(bridge)
  expect(await state()).toBe('taken')
  expect(warnings(bridge)).toContainEqual(
    expect.objectContaining({ msg: expect.stringMatching(/kept open for a day/), cure: expect.any(String) }),
  )
  bridge.platform.reply = () => shown({ deliveryStatus: 'EM_DISPUTA' })
  await check(bridge)
  bridge.platform.reply = () => refused
  bridge.clock.advance(23 * 3_600_000)
  await check(bridge)
  bridge.clock.advance(23 * 3_600_000)
  await check(bridge)
  expect(await state()).toBe('taken')
  bridge.clock.advance(2 * 3_600_000)
  await check(bridge)
  expect(await state()).toBeUndefined()
  expect((await bridge.orders()).closed).toMatchObject([{ state: 'closed', outcome: null }])
})

test('a hundred checks at once ask the platform once for each order', async () => {
  await using bridge = await startTestBridge()
  const answer = bridge.webhook(order)
  await until(async () => (await bridge.orders()).open.length === 1)
  const asked = questions(bridge)
  const held = Promise.withResolvers<void>()
  bridge.platform.reply = async (request) => {
    await held.promise
    return goodReply(request)
  }
  const checks = Array.from({ length: 100 }, async () => (await check(bridge)).status)
  await bridge.platform.arrived(asked + 1)
  // Time for the other checks to arrive: each of them is answered by this sweep.
  await Promise.all(Array.from({ length: 100 }, async () => (await fetch(`${bridge.agent.url}/health`)).text()))
  held.resolve()
  expect(new Set(await Promise.all(checks))).toEqual(new Set([200]))
  expect(questions(bridge) - asked).toBe(1)
  bridge.clock.advance(9_001)
  await answer
})

test('an order with an earlier payment under a known number is another one, if the platform waits for it', async () => {
  await using receiver = await startReceiver()
  await using bridge = await startTestBridge({ forwardUrl: receiver.url })
  expect((await bridge.webhook(order)).status).toBe(200)
  const earlier = { ...order, paidAt: '2025-01-01T00:00:00Z', itemRef: 'shield-1' }
  expect((await bridge.webhook(earlier)).status).toBe(200)
  expect(receiver.received.map(({ event }) => event.itemRef)).toEqual(['sword-1', 'shield-1'])
  bridge.platform.reply = () => refused
  expect((await bridge.webhook({ ...earlier, quantity: 9 })).status).toBe(404)
  expect((await allOrders(bridge)).map(({ itemRef }) => itemRef)).toEqual(['shield-1'])
})

test('closed orders come by pages: since a moment, at most this many, with a word that there are more', async () => {
  await using bridge = await startTestBridge()
  for (const transactionId of [1, 2, 3]) await bridge.webhook({ ...end, transactionId })
  const page = async (input: object) => {
    const { data } = (await bridge.agent.call('orders.open', input)) as unknown as {
      data: { closed: { transactionId: number; since: string }[]; more: boolean }
    }
    return {
      ids: data.closed.map(({ transactionId }) => transactionId),
      more: data.more,
      since: data.closed.at(-1)?.since,
    }
  }
  const first = await page({ limit: 2 })
  expect(first).toMatchObject({ ids: [1, 2], more: true })
  expect((await page({ closedSince: first.since })).ids).toEqual([2, 3])
  expect(await page({})).toMatchObject({ ids: [1, 2, 3], more: false })
  expect(await bridge.agent.call('orders.open', { closedSince: 'gestern' })).toMatchObject({ status: 400 })
})

test('a game server that reads on from the last end misses none, although the clock is set back and the agent is started again', async () => {
  await using bridge = await startTestBridge()
  const idsSince = async (closedSince: string | undefined) => {
    const { data } = (await bridge.agent.call('orders.open', { closedSince })) as unknown as {
      data: { closed: { transactionId: number; since: string }[] }
    }
    return data.closed.map(({ transactionId, since }) => ({ transactionId, since }))
  }
  bridge.clock.wallOffsetMs = 3 * 3_600_000
  await bridge.webhook({ ...end, transactionId: 1 })
  const [first] = await idsSince('1970-01-01T00:00:00.000Z')
  bridge.clock.wallOffsetMs = 0
  await bridge.webhook({ ...end, transactionId: 2 })
  await bridge.restart()
  await bridge.webhook({ ...end, transactionId: 3 })
  bridge.clock.wallOffsetMs = 4 * 3_600_000
  await bridge.restart()
  bridge.clock.wallOffsetMs = 0
  await bridge.webhook({ ...end, transactionId: 4 })
  const later = await idsSince(first?.since)
  expect(later.map(({ transactionId }) => transactionId)).toEqual([1, 2, 3, 4])
  expect(new Set(later.map(({ since }) => since)).size).toBe(4)
})

test('a date that cannot be read is refused with 400 and its cause, and the agent continues', async () => {
  await using bridge = await startTestBridge()
  expect((await bridge.webhook({ ...order, paidAt: 'ontem' })).status).toBe(400)
  expect((await bridge.webhook({ ...end, occurredAt: '2026-13-45T00:00:00Z' })).status).toBe(400)
  expect(warnings(bridge)).toContainEqual(
    expect.objectContaining({
      status: 400,
      reason: 'the field paidAt of transfer_order is missing or wrong',
      cure: expect.any(String),
    }),
  )
  expect(await bridge.orders()).toEqual({ open: [], closed: [] })
})

test('each refused envelope leaves its cause and its cure', async () => {
  await using bridge = await startTestBridge()
  await bridge.webhook(order, { signedText: '{}' })
  await bridge.webhook(order, { expS: 1_000 })
  await bridge.webhook(order, { headers: { 'x-platform-signature': 'a..b' } })
  const reasons = warnings(bridge).map(({ reason, cure }) => [String(reason).split(':')[0], typeof cure])
  expect(reasons).toEqual([
    ['signature', 'string'],
    ['expiry', 'string'],
    ['encoding', 'string'],
  ])
})

test('a stranger with a recorded, expired webhook makes the agent ask for the time once in ten seconds', async () => {
  await using bridge = await startTestBridge()
  const expS = Math.floor(bridge.clock.wallMs() / 1000) - 120
  for (let n = 0; n < 20; n++) expect((await bridge.webhook(end, { expS })).status).toBe(401)
  expect(bridge.platform.questionsForDate).toBe(1)
  bridge.clock.advance(10_001)
  await bridge.webhook(end, { expS })
  expect(bridge.platform.questionsForDate).toBe(2)
  const asked = bridge.platform.questionsForDate
  bridge.clock.advance(10_001)
  await bridge.webhook(end, { expS: expS - 2 * 24 * 3_600 })
  expect(bridge.platform.questionsForDate).toBe(asked)
})

test('a webhook that comes while the agent stops is answered 503 at once', async () => {
  const held = Promise.withResolvers<void>()
  await using receiver = await startReceiver(async (webhook, response) => {
    await held.promise
    answering(200, { observedQuantity: 4 })(webhook, response)
  })
  await using bridge = await startTestBridge({ forwardUrl: receiver.url })
  const first = bridge.webhook(order)
  await receiver.count(1)
  const url = new URL(bridge.agent.webhookUrl ?? '')
  expect(url.port).not.toBe('')
  const closed = bridge.agent.close()
  expect((await first).status).toBe(503)
  held.resolve()
  await closed
})

test('an end that nobody takes keeps no slot from an order', async () => {
  const held = Promise.withResolvers<void>()
  await using receiver = await startReceiver(async (webhook, response) => {
    if (webhook.event.event === 'transaction_terminal') await held.promise
    answering(200, { observedQuantity: 4 })(webhook, response)
  })
  await using bridge = await startTestBridge({ forwardUrl: receiver.url })
  for (let transactionId = 101; transactionId < 121; transactionId++) await bridge.webhook({ ...end, transactionId })
  expect((await bridge.webhook(order)).status).toBe(200)
  held.resolve()
})

test('the game server knows the agent by its token', async () => {
  await using receiver = await startReceiver()
  await using bridge = await startTestBridge({ forwardUrl: receiver.url, forwardToken: 'forward-1' })
  await bridge.webhook(order)
  expect(receiver.received[0]?.headers['authorization']).toBe('Bearer forward-1')
})

test('a reply over HTTP with a byte order mark is taken', async () => {
  await using receiver = await startReceiver((_, response) =>
    response.writeHead(200).end('\ufeff{"observedQuantity":2}'),
  )
  await using bridge = await startTestBridge({ forwardUrl: receiver.url })
  expect(await bridge.webhook(order)).toEqual({ status: 200, body: { observedQuantity: 2 } })
})

test('with a spool and SERVICE_ORDERS_BY=asking no event becomes a file', async () => {
  await using bridge = await startTestBridge({ withSpool: true, ordersBy: 'asking' })
  const answer = bridge.webhook(order)
  await until(async () => (await bridge.orders()).open.length === 1)
  await bridge.webhook({ ...end, transactionId: 18 })
  await bridge.agent.call('orders.take', { transactionId: 17, observedQuantity: 3 })
  expect((await answer).status).toBe(200)
  expect(readdirSync(bridge.spoolDir)).not.toContain('events')
})
