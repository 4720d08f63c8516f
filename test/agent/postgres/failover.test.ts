import { expect, test } from 'vitest'
import { until } from '../../../scripts/until.ts'
import { webhookUrlOf } from '../fixtures/bridge-process.ts'
import { order } from '../fixtures/events.ts'
import { goodReply } from '../fixtures/fake-platform.ts'
import { ReplicatedServer } from '../fixtures/replicated-server.ts'
import { StoreProcesses } from '../fixtures/store-processes.ts'
import { type Answer, goodInputs } from '../fixtures/test-agent.ts'
import { sendWebhook } from '../fixtures/webhook-sender.ts'

const purchase = goodInputs['transaction.create']
const { transactionId } = order
const reply = { transactionId, observedQuantity: 3, result: 'DELIVERED' }
const report = `/v1/api/transactions/${transactionId}/delivery`

/** Two agents over a primary and a replica. */
async function startPair() {
  await using opened = new AsyncDisposableStack()
  const server = opened.use(await ReplicatedServer.start())
  const hosts = opened.use(await StoreProcesses.start(undefined, server))
  const store = { SERVICE_STORE_URL: hosts.urlAtAll(server.ports) }
  const agents = [await hosts.spawn('a', store), await hosts.spawn('b', store)].map(({ agent }) => agent)
  const [a, b] = agents as [(typeof agents)[0], (typeof agents)[0]]
  await Promise.all([a.listening, b.listening])
  const running = opened.move()
  return {
    ...{ server, a, b, platform: hosts.platform },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

type Pair = Awaited<ReturnType<typeof startPair>>

const buy = (agent: Pair['a'], id: string) => agent.call('transaction.create', purchase, id)
const isOffered = async (agent: Pair['a']) => {
  const { data } = (await agent.call('orders.open', {})) as Answer & { data?: { orders: { state: string }[] } }
  return data?.orders.some(({ state }) => state === 'offered')
}
const hasStore = async (agent: Pair['a']) => {
  const { store } = (await (await fetch(`${await agent.listening}/status`)).json()) as { store: { up: boolean } }
  return store.up
}
/** As the platform does: again until it is taken. */
const deliverWebhook = async (agent: Pair['a']) => {
  const url = await webhookUrlOf(agent)
  return until(async () => (await sendWebhook(url, order)).status === 200)
}

async function loseStore({ server, a, b }: Pair): Promise<void> {
  await server.killPrimary()
  await until(async () => !(await hasStore(a)) && !(await hasStore(b)))
}

async function regainStore({ server, a, b }: Pair): Promise<void> {
  await server.promote()
  await until(async () => (await hasStore(a)) && (await hasStore(b)))
}

test('after each failover a purchase has its first answer, calls continue by themselves, and an order is delivered once', async () => {
  await using pair = await startPair()
  const { server, a, b, platform } = pair
  const answer = await buy(a, 'buy-1')
  expect(answer).toMatchObject({ ok: true })
  const webhook = deliverWebhook(a)
  await until(() => isOffered(b))

  await loseStore(pair)
  const sent = platform.requests.length
  expect(await buy(a, 'buy-2')).toMatchObject({ ok: false, status: 503, code: 'STORE_UNREACHABLE' })
  expect(platform.requests.length).toBe(sent)
  await regainStore(pair)
  expect(await buy(b, 'buy-1')).toEqual({ ...answer, replayed: true })
  expect(await buy(b, 'buy-2')).toMatchObject({ ok: true })
  await until(() => isOffered(b))

  await server.makeReplica()
  await loseStore(pair)
  await regainStore(pair)
  for (const agent of [a, b]) expect(await buy(agent, 'buy-1')).toEqual({ ...answer, replayed: true })
  expect(await b.call('orders.take', reply)).toMatchObject({ ok: true })
  await webhook
  await until(() => platform.actedOn('POST', report, {}) === 1)

  await server.makeReplica()
  await loseStore(pair)
  await regainStore(pair)
  expect((await sendWebhook(await webhookUrlOf(b), order)).status).toBe(200)
  expect(await isOffered(a)).toBe(false)
  expect(platform.actedOn('POST', report, {})).toBe(1)
  // Two ids bought the same.
  expect(platform.actedOn('POST', '/v1/api/transactions', purchase)).toBe(2)
  expect(await Promise.all([a.stop(), b.stop()])).toEqual([
    { code: 0, signal: null },
    { code: 0, signal: null },
  ])
})

test('a purchase that is on its way while the primary dies is uncertain for its caller and for every later one', async () => {
  await using pair = await startPair()
  const { a, b, platform } = pair
  const mayAnswer = Promise.withResolvers<void>()
  platform.reply = async (request) => {
    await mayAnswer.promise
    return goodReply(request)
  }
  const answer = buy(a, 'buy-1')
  await platform.arrived(1)
  await loseStore(pair)
  mayAnswer.resolve()
  expect(await answer).toMatchObject({ ok: false, uncertain: true })
  await regainStore(pair)
  for (const agent of [a, b]) expect(await buy(agent, 'buy-1')).toMatchObject({ ok: false, uncertain: true })
  expect(platform.requests.length).toBe(1)
})

test('while commits wait for a replica that is gone, nothing is sent that needs the store. A new replica ends that', async () => {
  await using pair = await startPair()
  const { server, a, b, platform } = pair
  const answer = await buy(a, 'buy-1')
  await server.killReplica()
  expect(await buy(a, 'buy-2')).toMatchObject({ ok: false })
  await until(async () => !(await hasStore(a)) && !(await hasStore(b)))
  expect(platform.requests.length).toBe(1)
  await server.makeReplica()
  await until(async () => (await hasStore(a)) && (await hasStore(b)))
  expect(await buy(b, 'buy-1')).toEqual({ ...answer, replayed: true })
  expect(await buy(a, 'buy-3')).toMatchObject({ ok: true })
})
