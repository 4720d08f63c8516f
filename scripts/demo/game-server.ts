import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { OrderReply } from '../../contract/order-reply.ts'
import { until } from '../until.ts'
import { type Caller, callingByFiles, callingByHttp, writeWhole } from './callers.ts'
import { Game, type HandedEvent } from './handler.ts'
import type { Stage } from './stage.ts'

/** A sample game server: how it calls its agent, and how it gets its orders. */
export interface GameServer extends Disposable {
  readonly id: number
  readonly game: Game
  readonly call: Caller
  /** In words, how an order and its terminal event reach it. */
  readonly words: { readonly order: string; readonly end: string }
  /** Waits for the paid order of a transaction, and handles it. @returns What it replied. */
  handleOrder(transactionId: number): Promise<OrderReply>
  /** Waits for the terminal event of a transaction. */
  hearEnd(transactionId: number): Promise<HandedEvent>
}

/** The agent posts each event to the game server, which replies in its answer. */
export async function gameServerWithHttp(stage: Stage): Promise<GameServer> {
  const game = new Game()
  const events: HandedEvent[] = []
  const replies = new Map<number, OrderReply>()
  const token = randomUUID()
  const server = createServer(async (request, response) => {
    // Anyone who reaches this port could post an order. Only the agent knows the token.
    if (request.headers.authorization !== `Bearer ${token}`) return void response.writeHead(401).end()
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const event = JSON.parse(Buffer.concat(chunks).toString('utf8')) as HandedEvent
    events.push(event)
    if (event.event === 'transfer_order') replies.set(event.transactionId, game.handle(event))
    const reply = event.event === 'transfer_order' ? replies.get(event.transactionId) : {}
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A demo that fails before the end of this server must end too.
  server.unref()
  const agent = await stage.startAgent('with-http', {
    SERVICE_WEBHOOK_FORWARD_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/orders`,
    SERVICE_WEBHOOK_FORWARD_TOKEN: token,
  })
  return {
    id: agent.gameServerId,
    game,
    call: callingByHttp(agent.url),
    words: { order: 'the agent posts transfer_order', end: 'the agent posts transaction_terminal' },
    handleOrder: (id) => until(async () => replies.get(id), `order ${id}`),
    hearEnd: (id) =>
      until(
        async () => events.find((event) => event.event === 'transaction_terminal' && event.transactionId === id),
        `terminal event of transaction ${id}`,
      ),
    [Symbol.dispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** The agent writes each event to events/, and the game server answers in replies/. */
export async function gameServerWithFiles(stage: Stage): Promise<GameServer> {
  const game = new Game()
  const spoolDir = join(stage.dir, 'spool')
  const agent = await stage.startAgent('with-files', { SERVICE_SPOOL_DIR: spoolDir })
  async function answer<Reply extends object>(name: string, reply: (event: HandedEvent) => Reply) {
    const path = join(spoolDir, 'events', name)
    await until(async () => existsSync(path), path)
    const event = JSON.parse(readFileSync(path, 'utf8')) as HandedEvent
    const replied = reply(event)
    writeWhole(join(spoolDir, 'replies', name), replied)
    return { event, replied }
  }
  return {
    id: agent.gameServerId,
    game,
    call: callingByFiles(spoolDir),
    words: { order: 'events/ has the order, replies/ gets the reply', end: 'events/ has the terminal event' },
    handleOrder: async (id) => (await answer(`transfer_order-${id}.json`, (order) => game.handle(order))).replied,
    hearEnd: async (id) => (await answer(`transaction_terminal-${id}.json`, () => ({}))).event,
    [Symbol.dispose]: () => undefined,
  }
}

/** The game server has neither a port nor files for orders: it asks for them. */
export async function gameServerThatAsks(stage: Stage): Promise<GameServer> {
  const game = new Game()
  const agent = await stage.startAgent('that-asks', {})
  const call = callingByHttp(agent.url)
  const listed = async (list: 'orders' | 'closed', id: number) => {
    const { data } = await call('orders.open', {})
    return (data[list] as HandedEvent[] | undefined)?.find(({ transactionId }) => transactionId === id)
  }
  return {
    id: agent.gameServerId,
    game,
    call,
    words: { order: 'orders.open has the order, orders.take the reply', end: 'orders.open has the outcome' },
    async handleOrder(transactionId) {
      const reply = game.handle(await until(() => listed('orders', transactionId), `order ${transactionId}`))
      await call('orders.take', { transactionId, ...reply })
      return reply
    },
    hearEnd: (id) =>
      until(async () => {
        const closed = await listed('closed', id)
        return closed?.outcome ? closed : undefined
      }, `outcome of transaction ${id}`),
    [Symbol.dispose]: () => undefined,
  }
}
