import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Order } from '../../agent/orders/order.ts'
import { isOver } from '../../agent/orders/order-moves.ts'
import type { AgentProcess } from '../agent/fixtures/agent-process.ts'
import { spawnBridge, webhookUrlOf } from '../agent/fixtures/bridge-process.ts'
import { GameServer, type Plan, type Way, ways } from './game-server.ts'
import { Market } from './market.ts'
import { type Scenario, shortDeadlines } from './scenario.ts'
import { World } from './world.ts'

const plans: ReadonlyMap<number, Plan> = new Map([
  [17, 'forget, then deliver'],
  [18, 'put off, then deliver'],
  [19, 'report out of stock'],
  [20, 'never take'],
])
/** Expires before it is paid: only its end arrives. */
const unpaid = 21
const forgotten = 17

/** Sales through the webhook bridge, to a game server that dies with each agent and forgets what it took. */
export async function bridgeScenario(way: Way): Promise<Scenario> {
  const world = await World.make()
  const market = new Market(world, [...plans.keys(), unpaid])
  const gameServer = new GameServer(world, market, plans, way === 'files' ? 'file' : 'http')
  const handover = await ways[way](gameServer, world)
  const rows = () => rowsOf(join(world.home.stateDir, 'orders.db'))

  async function work(agent: AgentProcess): Promise<void> {
    void handover.work(agent)
    void agent.ended.then(() => {
      market.webhookUrl = undefined
    })
    market.webhookUrl = await webhookUrlOf(agent).catch(() => undefined)
  }

  /** The first agent has nothing more to do when the order that will be forgotten is acknowledged. */
  function isDone({ transactionId, order, end }: Market['sales'][number]): boolean {
    if (transactionId === forgotten && gameServer.lives === 1) return order?.isAcknowledged === true
    return end?.isAcknowledged === true && gameServer.seen.has(`transaction_terminal ${transactionId}`)
  }

  return {
    world,
    spawn(options) {
      const agent = spawnBridge(world.home, { ...shortDeadlines, ...handover.settings, ...options.env }, options)
      // Now, and not when it listens: it offers what is open before that.
      gameServer.start(agent)
      return agent
    },
    begin(agent) {
      for (const transactionId of plans.keys()) market.pay(transactionId)
      market.expire(unpaid)
      return work(agent)
    },
    goOn: work,
    isSettled: () => market.sales.every(isDone) && world.unanswered.length === 0 && handover.isIdle(),
    repeat: async () => undefined,

    checkStored() {
      const stored = new Map(rows().map((row) => [row.transactionId, row]))
      for (const { transactionId, order, end, ordersAcknowledged } of market.sales) {
        const row = stored.get(transactionId)
        const isEnded = end !== undefined || !market.isAwaiting(transactionId)
        if (row && isOver(row.phase) && !isEnded) world.violate('I13', `order ${transactionId} is closed too early`)
        // Each reply that the platform knows has ended a generation.
        if (
          order?.isAcknowledged &&
          !isEnded &&
          (!row || (row.phase === 'offered' && row.generation <= ordersAcknowledged))
        )
          world.violate('I12', `order ${transactionId} was acknowledged before the reply was stored`)
        if (end?.isAcknowledged && row?.terminalText == null)
          world.violate('I12', `the end of ${transactionId} was acknowledged before it was stored`)
      }
    },

    checkAtEnd(options) {
      world.checkAtEnd(options)
      for (const { transactionId, order, end } of market.sales) {
        const events = [order && 'transfer_order', 'transaction_terminal'].filter((event) => event !== undefined)
        for (const event of events)
          if (!gameServer.seen.has(`${event} ${transactionId}`))
            world.violate('I11', `${event} ${transactionId} was not handed over`)
        if (!end?.isAcknowledged) world.violate('I1', `the end of ${transactionId} was not acknowledged`)
      }
      // A terminal event that the game server has confirmed does not wait for it.
      for (const { transactionId, phase } of rows())
        if (phase !== 'closed') world.violate('I11', `order ${transactionId} is over, and the ledger calls it ${phase}`)
    },

    async [Symbol.asyncDispose]() {
      market.close()
      await handover[Symbol.asyncDispose]()
      await world[Symbol.asyncDispose]()
    },
  }
}

/** What the ledger knows, read from a copy: the next agent must find the files as the last one left them. */
function rowsOf(path: string): readonly Order[] {
  if (!existsSync(path)) return []
  const dir = mkdtempSync(join(tmpdir(), 'market-agent-ledger-'))
  try {
    const copy = join(dir, 'orders.db')
    for (const suffix of ['', '-wal']) if (existsSync(path + suffix)) copyFileSync(path + suffix, copy + suffix)
    using db = new DatabaseSync(copy)
    const rows = db.prepare('SELECT record FROM orders').all()
    return rows.map(({ record }) => JSON.parse(String(record)) as Order)
  } finally {
    rmSync(dir, { recursive: true })
  }
}
