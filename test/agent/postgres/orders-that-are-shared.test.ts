import { expect, test } from 'vitest'
import type { CallAnswer } from '../../../agent/call/answer.ts'
import type { PlatformCall } from '../../../agent/call/call.ts'
import { notingListings } from '../../../agent/call/listings.ts'
import { StoreUnreachableError } from '../../../agent/database/store-errors.ts'
import { newOrder, type Order } from '../../../agent/orders/order.ts'
import { operations } from '../../../contract/operations.ts'
import { sharedPostgres } from '../../programs/shared-postgres.ts'
import { startCuttableProxy } from '../fixtures/cuttable-proxy.ts'
import { order as event } from '../fixtures/events.ts'
import { endLease, openStoreAgent, renew, type StoreAgent } from '../fixtures/store-agent.ts'
import { newDatabase, type ServerAddress } from '../fixtures/store-database.ts'
import { twoAgentsOneCuttable } from '../fixtures/two-agents.ts'

const server = await sharedPostgres()
const itemRef = event.itemRef
const orderOf = (transactionId: number, fields: Partial<Order> = {}): Order => ({
  ...newOrder({ ...event, transactionId }, JSON.stringify({ ...event, transactionId }), 1_000),
  ...fields,
})

/** An agent with its ledger, and what its ledger told. */
class OrdersAgent {
  readonly heard: [transactionId: number, phase: string | undefined, isOurs: boolean][] = []
  readonly unregistered: string[] = []
  readonly agent: StoreAgent
  readonly ledger: ReturnType<StoreAgent['openLedger']>

  constructor(agent: StoreAgent) {
    this.agent = agent
    this.ledger = agent.openLedger({
      onFull: () => undefined,
      onUnregistered: (order) => this.unregistered.push(order.itemRef),
    })
    this.ledger.onOthers((transactionId, order, isOurs) => this.heard.push([transactionId, order?.phase, isOurs]))
  }

  static async open(name: string, world: string, databaseName: string, at: ServerAddress = server) {
    const opened = new OrdersAgent(await openStoreAgent(at, databaseName, { name, world, timeoutMs: 1_000 }))
    await opened.ledger.adopt()
    return opened
  }

  put(transactionId: number, fields?: Partial<Order>) {
    return this.ledger.change(transactionId, () => ({ order: orderOf(transactionId, fields) }))
  }

  async openIds(): Promise<readonly number[]> {
    return (await this.ledger.findOpen()).map(({ transactionId }) => transactionId)
  }

  async kill(): Promise<void> {
    await this.ledger.close()
    await this.agent.kill()
  }

  async close(): Promise<void> {
    await this.ledger.close()
    await this.agent.close()
  }
}

const registration: PlatformCall = {
  ...{ id: undefined, operationName: 'market.register', operation: operations['market.register'] },
  input: { itemRef },
}
const refusal = { ok: false, status: 409, messageText: '"itemRef já usado"', uncertain: false } as const

const noReports = { join: () => undefined, begin: async () => undefined, end: async () => undefined }

/** An agent registers the item, and the platform answers. */
async function register({ agent }: OrdersAgent, answer: CallAnswer): Promise<void> {
  const reports = notingListings(agent.listings, noReports)
  await reports.begin(registration, 0)
  await reports.end(registration, answer, 0)
}

/** Agents on one database, each given as [name, world]. */
async function agentsOf(...given: [name: string, world: string][]) {
  const name = await newDatabase(server)
  const agents = []
  for (const [agent, world] of given) agents.push(await OrdersAgent.open(agent, world, name))
  return agents as [OrdersAgent, OrdersAgent]
}

test('an order goes to the world that registered its item, whichever agent its webhook reached', async () => {
  const [north, south] = await agentsOf(['north', 'n'], ['south', 's'])
  await north.agent.listings.begin(itemRef)
  expect(await south.put(17)).toMatchObject({ order: { transactionId: 17 }, isOurs: false })
  await expect.poll(() => north.heard).toContainEqual([17, 'received', true])
  expect([await north.openIds(), await south.openIds()]).toEqual([[17], []])
  expect(await south.ledger.findOpenInWorlds()).toMatchObject([{ world: 'n', order: { transactionId: 17 } }])
  expect((await north.put(17, { phase: 'taken' })).isOurs).toBe(true)
  await expect.poll(() => south.heard).toContainEqual([17, 'taken', false])
  expect(south.unregistered).toEqual([])
  await Promise.all([north.close(), south.close()])
})

test('an order of a world without a living agent waits for one and goes to no other world', async () => {
  const [north, south] = await agentsOf(['north', 'n'], ['south', 's'])
  await north.agent.listings.end(itemRef, 'accepted')
  await north.kill()
  await endLease(south.agent, 'north')
  await renew(south.agent)
  expect((await south.put(17)).isOurs).toBe(false)
  expect(await south.ledger.adopt()).toEqual([])
  const { database } = south.agent
  const [row] = await database.query('SELECT current_database() AS name')
  const again = await OrdersAgent.open('another', 'n', String(row?.['name']))
  expect((await again.ledger.adopt()).map(({ transactionId }) => transactionId)).toEqual([17])
  await Promise.all([south.close(), again.close()])
})

test('of a pair, one agent hands an order over, and the other takes over from it when it is dead', async () => {
  const [a, b] = await agentsOf(['a', ''], ['b', ''])
  expect((await a.put(1)).isOurs).toBe(true)
  expect((await a.put(2, { phase: 'ended' })).isOurs).toBe(true)
  await expect.poll(() => b.heard).toContainEqual([2, 'ended', false])
  expect((await b.put(1, { phase: 'offered' })).isOurs).toBe(false)
  expect(await b.ledger.adopt()).toEqual([])
  await a.kill()
  await endLease(b.agent, 'a')
  await renew(b.agent)
  await expect.poll(() => b.heard).toContainEqual([1, 'offered', true])
  await expect.poll(() => b.heard).toContainEqual([2, 'ended', true])
  expect((await b.put(1, { phase: 'taken' })).isOurs).toBe(true)
  await b.close()
})

test('an agent that ends cleanly leaves its orders to the other one of its pair at once', async () => {
  const [a, b] = await agentsOf(['a', ''], ['b', ''])
  await a.put(1)
  await a.close()
  await expect.poll(() => b.heard).toContainEqual([1, 'received', true])
  await b.close()
})

test('an item belongs to the world whose registration was accepted, else to the first that registered it', async () => {
  const [north, south] = await agentsOf(['north', 'n'], ['south', 's'])
  for (const item of ['a', 'b', 'c']) await north.agent.listings.begin(item)
  await north.agent.listings.end('b', 'accepted')
  for (const item of ['a', 'b', 'c']) await south.agent.listings.begin(item)
  await south.agent.listings.end('c', 'accepted')
  for (const [n, item] of ['a', 'b', 'c'].entries()) await north.put(n + 1, { itemRef: item })
  expect([await north.openIds(), await south.openIds()]).toEqual([[1, 2], [3]])
  await Promise.all([north.close(), south.close()])
})

test('an item stays with the world that registered it for a game client, although its next registration is refused', async () => {
  const [north, south] = await agentsOf(['north', 'n'], ['south', 's'])
  await north.agent.listings.begin(itemRef)
  await register(north, refusal)
  expect((await south.put(17)).isOurs).toBe(false)
  await Promise.all([north.close(), south.close()])
})

test('an item stays with the world that registered it for a game client, although the registration of another world is refused', async () => {
  const [north, south] = await agentsOf(['north', 'n'], ['south', 's'])
  await north.agent.listings.begin(itemRef)
  await register(south, refusal)
  await south.put(17)
  expect([await north.openIds(), await south.openIds()]).toEqual([[17], []])
  await Promise.all([north.close(), south.close()])
})

test('an item stays with the world that signs a registration for a game client while its first one is refused', async () => {
  const [north, south] = await agentsOf(['north', 'n'], ['south', 's'])
  const reports = notingListings(north.agent.listings, noReports)
  await reports.begin(registration, 0)
  await north.agent.listings.begin(itemRef)
  await reports.end(registration, refusal, 0)
  expect(await south.put(17)).toMatchObject({ isOurs: false })
  expect(await north.openIds()).toEqual([17])
  await Promise.all([north.close(), south.close()])
})

test('an accepted registration is noted when the store is back', async () => {
  using agents = await twoAgentsOneCuttable()
  const { a, b, proxy } = agents
  await b.listings.begin(itemRef)
  proxy.cut()
  await expect.poll(() => a.database.problem).toBeDefined()
  await expect(a.listings.end(itemRef, 'accepted')).rejects.toThrow(StoreUnreachableError)
  proxy.heal()
  const isAccepted = async () =>
    (await b.database.query('SELECT FROM market_agent.item WHERE item_ref = $1 AND is_accepted', [itemRef])).length
  await expect.poll(isAccepted, { timeout: 5_000 }).toBe(1)
  await Promise.all([a.close(), b.close()])
})

test('an accepted registration that is noted late takes the item from no world whose registration was accepted since', async () => {
  const name = await newDatabase(server)
  using proxy = await startCuttableProxy(server)
  const north = await OrdersAgent.open('north', 'n', name, proxy)
  const south = await OrdersAgent.open('south', 's', name)
  const { listings, database } = north.agent
  await listings.begin(itemRef)
  proxy.cut()
  await expect.poll(() => database.problem).toBeDefined()
  await expect(listings.end(itemRef, 'accepted')).rejects.toThrow(StoreUnreachableError)
  await register(south, { ok: true, dataText: '{}' })
  proxy.heal()
  // It begins only when nothing is owed.
  await expect.poll(() => listings.begin(itemRef).then(() => 'begun', String), { timeout: 5_000 }).toBe('begun')
  await north.put(17)
  expect([await north.openIds(), await south.openIds()]).toEqual([[], [17]])
  await Promise.all([north.close(), south.close()])
})

test('an order of an item that nobody registered goes to the world that its webhook reached, once with a word', async () => {
  const [north, south] = await agentsOf(['north', 'n'], ['south', 's'])
  await south.put(17)
  await south.put(17, { phase: 'offered' })
  expect([south.unregistered, await south.openIds(), await north.openIds()]).toEqual([[itemRef], [17], []])
  await Promise.all([north.close(), south.close()])
})

test('closed orders are removed in parts, with the stocks of items that have no other order', async () => {
  const [a, b] = await agentsOf(['a', ''], ['b', ''])
  const { database, lease } = a.agent
  await database.query(
    `INSERT INTO market_agent.orders
       SELECT n, '', NULL, '{}', 'closed', 'item ' || n % 2000, 1, n FROM generate_series(1, 2501) AS n`,
  )
  await database.query(`INSERT INTO market_agent.observation SELECT 'item ' || n, 1 FROM generate_series(0, 1999) AS n`)
  const remove = 'SELECT count(*)::int AS removed FROM market_agent.remove_closed($1, $2)'
  expect(await database.query(remove, [lease.epoch, 2_501])).toEqual([{ removed: 1_000 }])
  expect((await a.ledger.removeClosedBefore(2_501)).length).toBe(1_500)
  const left = await database.query('SELECT item_ref FROM market_agent.observation')
  expect(left).toEqual([{ item_ref: 'item 501' }])
  await Promise.all([a.close(), b.close()])
})

test('what happened while an agent was cut off from the store is told when it is back', async () => {
  const name = await newDatabase(server)
  using proxy = await startCuttableProxy(server)
  const a = await OrdersAgent.open('a', '', name, proxy)
  const b = await OrdersAgent.open('b', '', name)
  await a.put(1)
  proxy.cut()
  await expect(a.put(1, { phase: 'offered' })).rejects.toThrow()
  await b.put(1, { phase: 'taken' })
  proxy.heal()
  await expect.poll(() => a.heard, { timeout: 10_000 }).toContainEqual([1, 'taken', true])
  await Promise.all([a.close(), b.close()])
})

test('an agent that is back learns the end of every order that it followed, its own or not', async () => {
  const name = await newDatabase(server)
  using proxy = await startCuttableProxy(server)
  const a = await OrdersAgent.open('a', '', name, proxy)
  const b = await OrdersAgent.open('b', '', name)
  for (const id of [1, 2]) await a.put(id, { phase: 'offered' })
  for (const id of [3, 4, 5]) await b.put(id, { phase: 'offered' })
  for (const id of [3, 4, 5]) await expect.poll(() => a.heard).toContainEqual([id, 'offered', false])
  proxy.cut()
  await expect.poll(() => a.agent.database.problem).toBeDefined()
  await b.put(1, { phase: 'closed' })
  await b.ledger.change(2, () => ({ order: null }))
  await b.put(3, { phase: 'taken' })
  await b.put(4, { phase: 'closed' })
  await b.ledger.change(5, () => ({ order: null }))
  a.heard.splice(0)
  proxy.heal()
  await expect
    .poll(() => [...a.heard].sort(([one], [other]) => one - other), { timeout: 10_000 })
    .toEqual([
      [1, 'closed', true],
      // A failover may have lost it. If the platform does not know it, it is removed again.
      [2, 'offered', true],
      [3, 'taken', false],
      [4, 'closed', false],
      [5, undefined, false],
    ])
  await Promise.all([a.close(), b.close()])
})

test('an order that changes while an agent looks at the store again is told as it is last', async () => {
  const name = await newDatabase(server)
  using proxy = await startCuttableProxy(server)
  const a = await OrdersAgent.open('a', '', name, proxy)
  for (let id = 1; id <= 50; id++) await a.put(id, { phase: 'offered' })
  proxy.cut()
  await expect.poll(() => a.agent.database.problem).toBeDefined()
  proxy.heal()
  const told = new Map<number, string | undefined>()
  a.ledger.onOthers((id, order) => void told.set(id, order?.phase))
  await expect.poll(() => a.agent.database.problem, { interval: 1 }).toBeUndefined()
  const changes = Array.from({ length: 50 }, async (_, n) => {
    const { order } = await a.put(n + 1, { phase: 'taken' })
    told.set(n + 1, order?.phase)
  })
  await Promise.all(changes)
  await a.agent.database.idle()
  expect(new Set(told.values())).toEqual(new Set(['taken']))
  await a.close()
})

test('a notification of another program in the same database disturbs no agent', async () => {
  const [a, b] = await agentsOf(['a', ''], ['b', ''])
  for (const payload of [
    '',
    'order',
    'order x 1',
    'order 1.5 2',
    'order 99999999999999999999 1',
    'id',
    'ended too',
    '{}',
  ])
    await b.agent.database.query(`SELECT pg_notify('market_agent', $1)`, [payload])
  await b.put(1)
  await expect.poll(() => a.heard).toEqual([[1, 'received', false]])
  expect(a.agent.failures).toEqual([])
  await Promise.all([a.close(), b.close()])
})

test('the ends of a world have one order, whichever agent stores them', async () => {
  const [a, b] = await agentsOf(['a', ''], ['b', ''])
  const ends = Array.from({ length: 20 }, (_, n) =>
    (n % 2 ? a : b).put(n + 1, { phase: 'ended', sinceMs: 1_000_000 - n }),
  )
  await Promise.all(ends)
  const listed = await a.ledger.findOverSince(0, 30)
  expect(new Set(listed.map(({ sinceMs }) => sinceMs)).size).toBe(20)
  await Promise.all([a.close(), b.close()])
})
