import { startPostgres } from '../../test/agent/fixtures/postgres-server.ts'
import { urlInLog } from '../child-program.ts'
import type { ProgramCommands } from '../programs.ts'
import { until } from '../until.ts'
import { sendWebhooksTo } from '../webhook-url.ts'
import { startSpare, startWorld, type World } from './hosts.ts'
import { type LoadBalancer, startLoadBalancer } from './load-balancer.ts'
import type { Post } from './order-port.ts'
import { letSell, offerAndBuy, pay, seeItEnd, sold, succeed } from './purchase.ts'
import { problemOf, type Sale, tableOf } from './sales.ts'
import { killProgram, type LaunchedAgent, type Stage, setStage } from './stage.ts'
import { expectThat, step } from './steps.ts'

const spareName = 'host-2-spare'
/** As the guide for operators says. */
const takeOverMsMax = 20_000

/** Three worlds of one identity, each with an agent on a host of its own. */
interface Hosts {
  readonly stage: Stage
  readonly balancer: LoadBalancer
  readonly north: World
  readonly south: World
  readonly east: World
  /** The second agent of north, on the host of south. */
  readonly spare: LaunchedAgent
}

/** A sale that is paid. */
type PaidSale = Pick<Sale, 'transactionId' | 'itemRef' | 'world' | 'webhookAt'>

/** An order in the answer of `GET /orders/all-worlds`. */
interface ListedOrder {
  readonly transactionId: number
  readonly world: string
  readonly state: string
}

/**
 * Plays sales in three worlds of one identity, over one PostgreSQL and behind one load balancer. An agent is killed in the
 * middle of a sale, and another host takes over.
 *
 * @throws {PostgresMissingError} This system has none.
 */
export async function playThreeHosts(programs: ProgramCommands): Promise<void> {
  await using database = await startPostgres()
  await using stage = await setStage(programs)
  const storeUrl = `postgres://postgres@127.0.0.1:${database.port}/postgres`
  console.log(`platform-stub at ${stage.stubUrl}, ${storeUrl}, three game servers with one identity`)
  const server = await stage.register('three-worlds')
  const shared = { stage, server, storeUrl }
  const [first, second, third] = await Promise.all([
    startWorld(shared, 'north', 'host-1'),
    startWorld(shared, 'south', 'host-2'),
    startWorld(shared, 'east', 'host-3'),
  ])
  using north = first
  using south = second
  using east = third
  const worlds = [north, south, east]
  using balancer = await startLoadBalancer(worlds)

  console.log('\nThree worlds, an agent on each host')
  await step(
    'the agents share one store',
    () => agentsThatShare(east),
    (agents) => agents.map(({ name, world }) => `${name}: ${world}`).join(', '),
  )
  const spare = await step(
    'a second agent of north, on host-2',
    () => startSpare(shared, north, spareName),
    () => 'standing by',
  )
  await step(
    'the platform knows one address for webhooks',
    () => sendWebhooksTo(stage.stubUrl, server.id, balancer.webhookUrl),
    () => 'a load balancer before the three hosts',
  )
  await letSell(stage, north)
  const hosts: Hosts = { stage, balancer, north, south, east, spare }

  const sales: PaidSale[] = []
  for (const [at, world] of worlds.entries()) {
    console.log(`\nA purchase in ${world.name}`)
    const sale = await offerAndPay(hosts, world, `offer-${at + 1}`)
    await seeItEnd(stage, world, sale.transactionId, sold)
    sales.push(sale)
  }

  console.log('\nAn agent is killed in the middle of a sale')
  sales.push(...(await loseAgent(hosts)))

  console.log('\nEach item once, in its own world')
  const seen = sales.map((sale) => ({ ...sale, ...seenBy(worlds, sale.transactionId) }))
  console.log(tableOf(seen))
  await step('no order went to another world, no item was given twice', async () => {
    const problems = seen.flatMap((sale) => problemOf(sale) ?? [])
    expectThat(problems.length === 0, problems.join(', '))
    const hostOf = (name: string) => worlds.find((world) => world.name === name)?.host
    expectThat(
      seen.some(({ world, webhookAt }) => webhookAt !== hostOf(world)),
      'each webhook reached its own world',
    )
  })
}

async function agentsThatShare({ agent }: World): Promise<readonly { name: string; world: string }[]> {
  const response = await fetch(`${agent.url}/status`)
  const { store } = (await response.json()) as { store: { agents: readonly { name: string; world: string }[] | null } }
  expectThat(store.agents?.length === 3, `they are ${JSON.stringify(store.agents)}`)
  return store.agents ?? []
}

async function offerAndPay({ stage, balancer }: Hosts, world: World, itemRef: string): Promise<PaidSale> {
  const transactionId = await offerAndBuy(world, itemRef)
  const webhookAt = await step(
    'the buyer pays in the checkout',
    () => payAndFollow(stage, balancer, transactionId),
    (host) => `the webhook reaches ${host}`,
  )
  return { transactionId, itemRef, world: world.name, webhookAt }
}

/** @returns The host that the webhook of the order reached. */
async function payAndFollow(stage: Stage, balancer: LoadBalancer, transactionId: number): Promise<string> {
  const before = balancer.reached.length
  await pay(stage, transactionId)
  return until(() => balancer.reached[before], `webhook of order ${transactionId}`)
}

/** The agent of north is killed while its game server has an order and has not given the item. @returns The sales. */
async function loseAgent(hosts: Hosts): Promise<PaidSale[]> {
  const { stage, north, south, east, spare } = hosts
  north.setReplying(false)
  const sale = await offerAndPay(hosts, north, 'offer-4')
  await step(
    'north gets the order and does not reply yet',
    () => until(() => north.posts.find(isEventOf('transfer_order', sale.transactionId)), `order ${sale.transactionId}`),
    ({ by }) => `posted by ${by}`,
  )
  await step(
    'host-3 sees it in the store: GET /orders/all-worlds',
    () => until(() => openOrder(east, sale.transactionId), `order ${sale.transactionId} in the store`),
    ({ world, state }) => `${world}, ${state}`,
  )
  await step(`kill -9 for the agent on ${north.host}`, () => killProgram(north.agent))
  const killedMs = performance.now()
  north.setReplying(true)
  const other = await step('a buyer in south buys another offer-2 meanwhile', () =>
    sellAnother(hosts, south, 'offer-2'),
  )
  await step(
    'the second agent of north takes over',
    async () => {
      north.callAt(await until(() => urlInLog(spare.logFile), 'take-over'))
      const tookMs = performance.now() - killedMs
      expectThat(tookMs <= takeOverMsMax, `it took ${tookMs} ms`)
      return tookMs
    },
    (tookMs) => `after ${(tookMs / 1_000).toFixed(1)} s`,
  )
  await seeItEnd(stage, north, sale.transactionId, sold)
  await step(
    'transaction.create again under its id, at the second agent',
    async () => {
      const purchase = { itemRef: 'offer-4', quantity: 1, buyerCharacterRef: 'char-2' }
      const { transactionId } = await succeed(north, 'transaction.create', purchase, 'buy-offer-4')
      expectThat(transactionId === sale.transactionId, 'it made a second transaction')
    },
    () => 'the first answer, no second purchase',
  )
  return [sale, other]
}

/** A whole sale of a listing that has units left. */
async function sellAnother({ stage, balancer }: Hosts, world: World, itemRef: string): Promise<PaidSale> {
  const purchase = { itemRef, quantity: 1, buyerCharacterRef: 'char-3' }
  const transactionId = Number((await succeed(world, 'transaction.create', purchase))['transactionId'])
  const webhookAt = await payAndFollow(stage, balancer, transactionId)
  await world.handleOrder(transactionId)
  await world.hearEnd(transactionId)
  return { transactionId, itemRef, world: world.name, webhookAt }
}

/** The order of a transaction that waits for its game server, as an agent of another world sees it. */
async function openOrder({ agent }: World, id: number): Promise<ListedOrder | undefined> {
  const response = await fetch(`${agent.url}/orders/all-worlds`)
  const { data } = (await response.json()) as { data: { orders: readonly ListedOrder[] } }
  return data.orders.find(({ transactionId, state }) => transactionId === id && state === 'offered')
}

function seenBy(worlds: readonly World[], id: number): Pick<Sale, 'orders' | 'givenIn' | 'outcome'> {
  const posts = worlds.flatMap(({ name, posts }) => posts.map((post) => ({ ...post, world: name })))
  return {
    orders: posts.filter(isEventOf('transfer_order', id)).map(({ by, world }) => ({ by, world })),
    givenIn: worlds.flatMap(({ name, game }) => game.given.filter((given) => given === id).map(() => name)),
    outcome: posts.find(isEventOf('transaction_terminal', id))?.event.outcome,
  }
}

function isEventOf(name: string, id: number): (post: Post) => boolean {
  return ({ event }) => event.event === name && event.transactionId === id
}
