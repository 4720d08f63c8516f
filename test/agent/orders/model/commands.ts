import fc from 'fast-check'
import type { Delivery, Sale } from './platform.ts'
import type { World } from './world.ts'

/** What chance decides of a step. */
interface Draw {
  readonly n: number
  readonly observed: number
  readonly isYes: boolean
}

interface Step {
  /** How often it is drawn, beside the others. */
  readonly weight: number
  readonly arbitrary: fc.Arbitrary<fc.AsyncCommand<World, World>>
}

const draws: fc.Arbitrary<Draw> = fc.record({
  n: fc.nat(20),
  observed: fc.integer({ min: 0, max: 9 }),
  isYes: fc.boolean(),
})

/** A step with the n-th of those that it can be done to. Then everything is compared. */
function on<Item>(
  weight: number,
  name: string | ((draw: Draw) => string),
  among: (world: World) => readonly Item[],
  run: (world: World, item: Item, draw: Draw) => unknown,
): Step {
  const command = (draw: Draw): fc.AsyncCommand<World, World> => ({
    check: (world) => among(world as World).length > 0,
    async run(_, world) {
      const items = among(world)
      await run(world, items[draw.n % items.length] as Item, draw)
      await world.settle()
      await world.check()
    },
    toString: () => `${typeof name === 'string' ? name : name(draw)} (${draw.n})`,
  })
  return { weight, arbitrary: draws.map(command) }
}

const items = () => ['sword', 'shield'] as const
const timesMs = () => [1, 500, 1_001, 3_000, 10_001, 15_000, 30_000, 61_000, 181_000] as const
const reasons = [undefined, 'OUT_OF_STOCK', 'TEMPORARY'] as const
const always = () => [undefined]
const running = ({ life }: World) => (life ? [life] : [])
const down = ({ life }: World) => (life ? [] : [undefined])
const salesThat = (areMeant: (sale: Sale, world: World) => boolean) => (world: World) =>
  world.platform.sales.filter((sale) => areMeant(sale, world))
const inState = (...deliveries: readonly Sale['delivery'][]) =>
  salesThat(({ endedMs, delivery }) => endedMs === null && deliveries.includes(delivery))

const steps: readonly Step[] = [
  on(
    8,
    ({ n }) => `${timesMs()[n % timesMs().length]} ms pass`,
    timesMs,
    (world, ms) => world.advance(ms),
  ),

  // The platform.
  on(4, 'a sale', items, ({ platform }, item) => platform.sell(item, 2)),
  on(0.5, 'a sale that expires', items, ({ platform }, item) => platform.expire(item)),
  on(
    0.5,
    'a sale under the number of one that is over',
    salesThat(({ endedMs }) => endedMs !== null),
    ({ platform, webhooks }, sale) => {
      webhooks.breakAll(sale)
      platform.sell(sale.itemRef, sale.quantity, sale)
    },
  ),
  on(0.7, 'a dispute', inState('AGUARDANDO_SERVIDOR', 'ENTREGUE'), ({ platform }, sale) => platform.dispute(sale)),
  on(0.7, 'a dispute is rejected', inState('EM_DISPUTA'), ({ platform }, sale) => platform.rejectDispute(sale)),
  on(0.7, 'a refund', inState('EM_DISPUTA', 'FALHOU'), ({ platform }, sale) => platform.refund(sale)),
  on(1.5, 'a completion', inState('ENTREGUE'), ({ platform }, sale) => platform.complete(sale)),

  // Webhooks.
  on(
    1,
    'an order comes again',
    salesThat(({ order }) => (order?.attempts ?? 0) > 0),
    ({ webhooks }, { order }) => webhooks.send(order as Delivery),
  ),
  on(
    1,
    'an end comes again',
    salesThat(({ end }) => (end?.attempts ?? 0) > 0),
    ({ webhooks }, { end }) => webhooks.send(end as Delivery),
  ),
  on(
    1,
    'the connection of a webhook breaks',
    ({ webhooks }) => webhooks.attempts,
    ({ webhooks }, attempt) => webhooks.break(attempt),
  ),
  on(1, 'the next answer to a webhook is lost on its way', running, ({ webhooks }) => webhooks.loseNextAnswer()),

  // The game server.
  on(
    5,
    ({ observed }) => `a reply to a push, ${observed} seen`,
    ({ gameServer }) => gameServer.pushes,
    ({ gameServer }, push, { observed }) => gameServer.replyToPush(push, observed),
  ),
  on(
    2,
    ({ isYes }) => (isYes ? 'a push fails after it was stored' : 'a push fails'),
    ({ gameServer }) => gameServer.pushes,
    ({ gameServer }, push, { isYes }) => gameServer.failPush(push, isYes),
  ),
  on(
    5,
    ({ observed }) => `a reply by a file, ${observed} seen`,
    ({ gameServer }) => gameServer.eventNames(),
    ({ gameServer }, name, { observed }) => gameServer.replyToFile(name, observed),
  ),
  on(
    1,
    ({ observed }) => `a reply to a first offer by a file, ${observed} seen`,
    ({ gameServer, platform }) => (gameServer.way === 'files' ? platform.sales : []),
    ({ gameServer }, { transactionId }, { observed }) =>
      gameServer.replyToFile(`transfer_order-${transactionId}.json`, observed),
  ),
  on(
    2,
    ({ observed }) => `orders.take, ${observed} seen`,
    (world) => (world.life ? world.platform.sales : []),
    ({ gameServer }, sale, { observed }) => gameServer.take(sale, observed),
  ),
  on(
    3,
    ({ observed }) => `orders.take of what orders.open offers, ${observed} seen`,
    (world) => (world.gameServer.way === 'ask' ? running(world) : []),
    async ({ gameServer, platform }, _, { n, observed }) => {
      const offered = await gameServer.offered()
      const transactionId = offered[n % offered.length]
      if (transactionId !== undefined) await gameServer.take(platform.saleOf(transactionId), observed)
    },
  ),
  on(1, 'the game server forgets', always, ({ gameServer }) => gameServer.held.clear()),

  // Its calls.
  on(
    3,
    'a delivery',
    salesThat((sale, { gameServer }) => gameServer.held.has(sale)),
    ({ reports }, sale) => reports.call(sale, undefined, 0),
  ),
  on(
    2,
    ({ observed }) => `TEMPORARY, ${observed} seen`,
    inState('AGUARDANDO_SERVIDOR'),
    ({ reports }, sale, { observed }) => reports.call(sale, 'TEMPORARY', observed),
  ),
  on(
    0.7,
    ({ observed }) => `OUT_OF_STOCK, ${observed} seen`,
    inState('AGUARDANDO_SERVIDOR'),
    ({ reports }, sale, { observed }) => reports.call(sale, 'OUT_OF_STOCK', observed),
  ),
  on(
    2,
    ({ observed }) => `a call leaves, ${reasons[observed % 3] ?? 'a delivery'}, ${observed} seen`,
    ({ platform }) => platform.sales,
    ({ reports }, sale, { observed }) => reports.start(sale, reasons[observed % 3], observed),
  ),
  on(
    2,
    'a call reaches the platform',
    ({ reports }) => reports.calls,
    ({ reports }, call) => reports.act(call),
  ),
  on(
    2,
    ({ isYes }) => (isYes ? 'an answer is lost' : 'an answer comes'),
    ({ reports }) => reports.calls,
    ({ reports }, call, { isYes }) => reports.end(call, isYes),
  ),
  on(
    1,
    ({ observed }) => `market.adjust-stock, ${observed} seen`,
    (world) => (world.life ? items() : []),
    ({ reports }, item, { observed }) => reports.adjustStock(item, observed),
  ),

  // The agent's questions.
  on(
    1,
    'the platform reads a question',
    ({ reports }) => reports.questions,
    ({ reports }, question) => reports.readQuestion(question),
  ),
  on(
    3,
    'a question is answered',
    ({ reports }) => reports.questions,
    ({ reports }, question) => reports.answerQuestion(question),
  ),
  on(
    0.7,
    'a question gets no answer',
    ({ reports }) => reports.questions,
    ({ reports }, question) => reports.failQuestion(question),
  ),

  // The agent's process.
  on(1, 'the agent is killed', running, (world) => world.kill()),
  on(
    1.5,
    ({ observed, isYes }) => `the agent will be killed ${isYes ? 'after' : 'before'} its commit ${1 + (observed % 4)}`,
    running,
    (_, { ledger }, { observed, isYes }) => {
      ledger.death = { atCommit: 1 + (observed % 4), isCommitted: isYes }
    },
  ),
  on(0.5, 'the agent stops', running, (world) => world.stop()),
  on(4, 'the agent starts', down, (world) => world.start()),
  on(
    0.6,
    ({ isYes }) => `the disk is ${isYes ? 'full' : 'free'}`,
    running,
    (_, { ledger }, { isYes }) => {
      ledger.isFull = isYes
    },
  ),
]

// Drawn for each step by weight: `fc.commands` itself draws evenly.
const anyStep = fc.oneof(...steps.map(({ weight, arbitrary }) => ({ arbitrary, weight: Math.round(weight * 10) })))

export const commands = fc.commands([anyStep], { maxCommands: 160, size: 'max' })
