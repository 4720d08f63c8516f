import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../../../scripts/until.ts'
import { webhookUrlOf } from '../fixtures/bridge-process.ts'
import { commandOutput } from '../fixtures/command-output.ts'
import { order } from '../fixtures/events.ts'
import { purchase as fileOfPurchase, putRequest } from '../fixtures/spool-fixture.ts'
import { type StoreProcess, StoreProcesses } from '../fixtures/store-processes.ts'
import { goodInputs } from '../fixtures/test-agent.ts'
import { sendWebhook } from '../fixtures/webhook-sender.ts'

const leaseMs = 16_000
const purchase = goodInputs['transaction.create']
const stock = { itemRef: 'sword-1', observedQuantity: 4 }
const buy = ({ agent }: StoreProcess, id: string) => agent.call('transaction.create', purchase, id)
const status = async ({ agent }: StoreProcess) => (await fetch(`${await agent.listening}/status`)).json()
const ordersOf = async ({ agent }: StoreProcess) => {
  const { data } = (await agent.call('orders.open', {})) as unknown as { data: { orders: { transactionId: number }[] } }
  return data.orders.map(({ transactionId }) => transactionId)
}

test('an id that was answered on one host is answered on another, and the platform acts once', async () => {
  await using hosts = await StoreProcesses.start()
  const [a, b] = [await hosts.spawn('a'), await hosts.spawn('b')]
  const answer = await buy(a, 'buy-1')
  expect(answer).toMatchObject({ ok: true })
  expect(await buy(b, 'buy-1')).toEqual({ ...answer, replayed: true })
  expect(hosts.platform.actedOn('POST', '/v1/api/transactions', purchase)).toBe(1)
  const stopped = await Promise.all([a.agent.stop(), b.agent.stop()])
  expect(stopped.map(({ code }) => code)).toEqual([0, 0])
})

test('a purchase under way on a host that dies is uncertain on every other one', async () => {
  await using hosts = await StoreProcesses.start()
  const [a, b] = [await hosts.spawn('a'), await hosts.spawn('b')]
  await Promise.all([a.agent.listening, b.agent.listening])
  const held = Promise.withResolvers<never>()
  hosts.platform.reply = () => held.promise
  const lost = buy(a, 'buy-1').catch(() => 'lost')
  await hosts.platform.arrived(1)
  const waiting = buy(b, 'buy-1')
  await a.agent.kill()
  await hosts.pass(leaseMs)
  expect(await waiting).toMatchObject({ ok: false, uncertain: true })
  await b.agent.printed('another agent is dead: its calls and orders are taken over')
  expect(hosts.platform.requests.length).toBe(1)
  expect(await lost).toBe('lost')
})

test('while the store is away, calls that need it are refused before they are sent, and others are answered', async () => {
  await using hosts = await StoreProcesses.start()
  const a = await hosts.spawn('a')
  expect(await buy(a, 'buy-1')).toMatchObject({ ok: true })
  const sent = hosts.platform.requests.length
  a.proxy.cut()
  await a.agent.printed('the store cannot be reached')
  const away = { ok: false, status: 503, code: 'STORE_UNREACHABLE' }
  expect(await buy(a, 'buy-2')).toMatchObject(away)
  expect(await a.agent.call('market.adjust-stock', stock)).toMatchObject(away)
  expect(await a.agent.call('orders.open', {})).toMatchObject(away)
  expect((await sendWebhook(await webhookUrlOf(a.agent), order)).status).toBe(503)
  expect(hosts.platform.requests.length).toBe(sent)
  expect(await a.agent.call('market.eligibility', { characterRef: 'c' })).toMatchObject({ ok: true })
  expect(await status(a)).toMatchObject({
    ready: false,
    reasons: [expect.stringContaining('the store cannot be reached')],
    journal: { entries: null },
    orders: null,
  })
  a.proxy.heal()
  await a.agent.printed('the store is there again')
  await until(async () => (await buy(a, 'buy-2')).ok)
  expect(await status(a)).toMatchObject({ ready: true })
})

test('an agent that was paused for longer than its lease ends with exit 3. It has sent nothing meanwhile', async () => {
  await using hosts = await StoreProcesses.start()
  const [a, b] = [await hosts.spawn('a'), await hosts.spawn('b')]
  await Promise.all([a.agent.listening, b.agent.listening])
  a.agent.child.kill('SIGSTOP')
  await hosts.pass(leaseMs)
  await b.agent.printed('another agent is dead')
  const sent = hosts.platform.requests.length
  a.agent.child.kill('SIGCONT')
  expect((await a.agent.ended).code).toBe(3)
  expect(a.agent.output()).toContain('another agent took over')
  expect(hosts.platform.requests.length).toBe(sent)
})

test('a standby takes no calls before the agent of its world is dead. Then it has its orders', async () => {
  await using hosts = await StoreProcesses.start()
  const a = await hosts.spawn('a')
  void sendWebhook(await webhookUrlOf(a.agent), order).catch(() => undefined)
  await a.agent.printed('order confirmed by the platform')
  const b = await hosts.spawn('b', {}, ['--standby'])
  await b.agent.printed('standing by')
  expect(b.agent.output()).toContain('SERVICE_WORLD')
  await a.agent.kill()
  await hosts.pass(leaseMs)
  await b.agent.listening
  expect(await ordersOf(b)).toEqual([order.transactionId])
})

test('a standby that gets SIGTERM ends with 0', async () => {
  await using hosts = await StoreProcesses.start()
  const a = await hosts.spawn('a')
  await a.agent.listening
  const b = await hosts.spawn('b', {}, ['--standby'])
  await b.agent.printed('standing by')
  expect(await b.agent.stop()).toEqual({ code: 0, signal: null })
  expect(await buy(a, 'buy-1')).toMatchObject({ ok: true })
})

test('an order is given to the game server of its world, whichever agent gets the webhook, and its reply answers it', async () => {
  await using hosts = await StoreProcesses.start()
  const north = await hosts.spawn('n', { SERVICE_WORLD: 'north' })
  const south = await hosts.spawn('s', { SERVICE_WORLD: 'south' })
  const registration = { ...goodInputs['market.register'], itemRef: order.itemRef }
  await south.agent.listening
  expect(await north.agent.call('market.register', registration)).toMatchObject({ ok: true })
  const webhook = sendWebhook(await webhookUrlOf(south.agent), order)
  await until(async () => (await ordersOf(north)).length > 0)
  expect(await ordersOf(south)).toEqual([])
  const { port } = new URL(await south.agent.listening)
  const listed = await commandOutput(['orders', '--all-worlds'], { SERVICE_AGENT_PORT: port })
  expect(listed.stdout).toMatch(/^WORLD +TRANSACTION[^\n]*\nnorth +17 +offered /)
  const reply = { transactionId: order.transactionId, observedQuantity: 3, result: 'DELIVERED' }
  expect(await north.agent.call('orders.take', reply)).toMatchObject({ ok: true })
  expect(await webhook).toEqual({ status: 200, body: { observedQuantity: 3 } })
  const report = `/v1/api/transactions/${order.transactionId}/delivery`
  await until(() => hosts.platform.actedOn('POST', report, {}) === 1)
})

test('status and metrics name the agents that share the store, and say when it is away', async () => {
  await using hosts = await StoreProcesses.start()
  const [a, b] = [await hosts.spawn('a', { SERVICE_WORLD: 'north' }), await hosts.spawn('b')]
  await Promise.all([a.agent.listening, b.agent.listening])
  const agents = [
    { name: 'a', world: 'north' },
    { name: 'b', world: '' },
  ]
  const metrics = async () => (await fetch(`${await a.agent.listening}/metrics`)).text()
  expect(await status(a)).toMatchObject({ store: { up: true, agent: 'a', world: 'north', agents } })
  expect(await metrics()).toMatch(/market_agent_store_up 1\n[\s\S]*market_agent_agents 2\n/)
  a.proxy.cut()
  await a.agent.printed('the store cannot be reached')
  expect(await status(a)).toMatchObject({ store: { up: false, agents: null } })
  expect(await metrics()).toContain('market_agent_store_up 0')
  expect(await metrics()).not.toContain('market_agent_agents')
})

test('of a pair, either agent lists the order that one of them hands over, and takes the reply', async () => {
  await using hosts = await StoreProcesses.start()
  const [a, b] = [await hosts.spawn('a'), await hosts.spawn('b')]
  await b.agent.listening
  const webhook = sendWebhook(await webhookUrlOf(a.agent), order)
  await until(async () => (await ordersOf(b)).length > 0)
  const reply = { transactionId: order.transactionId, observedQuantity: 3, result: 'DELIVERED' }
  expect(await b.agent.call('orders.take', reply)).toMatchObject({ ok: true })
  expect(await webhook).toMatchObject({ status: 200 })
  const report = `/v1/api/transactions/${order.transactionId}/delivery`
  await until(() => hosts.platform.actedOn('POST', report, {}) === 1)
})

test('a start says in one line what is wrong: a name in use (3), a newer schema (2), a store that is away (1)', async () => {
  await using hosts = await StoreProcesses.start()
  const a = await hosts.spawn('a')
  await a.agent.listening
  const twin = await hosts.spawn('a')
  expect((await twin.agent.ended).code).toBe(3)
  expect(twin.agent.output()).toMatch(
    /SERVICE_AGENT_NAME \\"a\\" in the store is locked by agent \\"a\\", for at least \d+ s/,
  )
  await hosts.database.query('UPDATE market_agent.store SET version = 99, usable_from = 99')
  const old = await hosts.spawn('b')
  expect((await old.agent.ended).code).toBe(2)
  expect(old.agent.output()).toContain('written by a newer version of market-agent')
  const away = await hosts.spawn('c', { SERVICE_STORE_URL: hosts.urlAt(1) })
  expect((await away.agent.ended).code).toBe(1)
  expect(away.agent.output()).toContain('no host of the store accepts writes')
})

test('a request in a file is answered while the store is away. The same name can be used again when it is back', async () => {
  await using hosts = await StoreProcesses.start()
  const { home, agent, proxy } = await hosts.spawn('a')
  await agent.listening
  const inbox = join(home.spoolDir, 'inbox')
  const answered = () => until(() => JSON.parse(readFileSync(join(inbox, 'buy-1.json'), 'utf8')) as object)
  proxy.cut()
  await agent.printed('the store cannot be reached')
  putRequest(join(home.spoolDir, 'outbox'), 'buy-1', fileOfPurchase)
  expect(await answered()).toMatchObject({ ok: false, status: 503, code: 'STORE_UNREACHABLE' })
  expect(hosts.platform.requests).toEqual([])
  rmSync(join(inbox, 'buy-1.json'))
  proxy.heal()
  await agent.printed('the store is there again')
  putRequest(join(home.spoolDir, 'outbox'), 'buy-1', fileOfPurchase)
  expect(await answered()).toMatchObject({ ok: true })
})
