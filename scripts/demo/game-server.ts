import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { until } from '../until.ts'
import { type Caller, callingByFiles, callingByHttp, writeWhole } from './callers.ts'
import type { Stage } from './stage.ts'

/** An event of the platform, as the agent hands it on: plain JSON. */
export interface HandedEvent {
  readonly event: string
  readonly transactionId: number
  readonly quantity?: number
  readonly outcome?: string
}

/** A sample game server: how it calls its agent, and how it gets its orders. */
export interface GameServer extends Disposable {
  readonly id: number
  readonly call: Caller
  /** In words, how an order and its end reach it. */
  readonly words: { readonly order: string; readonly end: string }
  /** Waits for the paid order of a transaction, stores it, and replies with the stock that is left. */
  takeOrder(transactionId: number): Promise<{ readonly quantity: number }>
  /** Waits for the end of a transaction. */
  hearEnd(transactionId: number): Promise<{ readonly outcome: string }>
}

/** The stock that is left when the order is set aside. */
const observedQuantity = 1

/** The agent posts each event to the game server. */
export async function gameServerWithHttp(stage: Stage): Promise<GameServer> {
  const events: HandedEvent[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    // A real game server stores the order on disk here, before it answers.
    events.push(JSON.parse(Buffer.concat(chunks).toString('utf8')))
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ observedQuantity }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A demo that fails before the end of this server must end too.
  server.unref()
  const forwardUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/orders`
  const agent = await stage.startAgent('with-http', { SERVICE_WEBHOOK_FORWARD_URL: forwardUrl })
  const received = (event: string, transactionId: number) =>
    until(
      async () => events.find((candidate) => candidate.event === event && candidate.transactionId === transactionId),
      `${event} of transaction ${transactionId}`,
    )
  return {
    id: agent.gameServerId,
    call: callingByHttp(agent.url),
    words: { order: 'the agent posts transfer_order', end: 'the agent posts transaction_terminal' },
    takeOrder: async (id) => ({ quantity: Number((await received('transfer_order', id)).quantity) }),
    hearEnd: async (id) => ({ outcome: String((await received('transaction_terminal', id)).outcome) }),
    [Symbol.dispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** The agent writes each event to events/, and the game server answers in replies/. */
export async function gameServerWithFiles(stage: Stage): Promise<GameServer> {
  const spoolDir = join(stage.dir, 'spool')
  const agent = await stage.startAgent('with-files', { SERVICE_SPOOL_DIR: spoolDir })
  async function answer(name: string, reply: object): Promise<HandedEvent> {
    const path = join(spoolDir, 'events', name)
    await until(async () => existsSync(path), path)
    const event = JSON.parse(readFileSync(path, 'utf8')) as HandedEvent
    writeWhole(join(spoolDir, 'replies', name), reply)
    return event
  }
  return {
    id: agent.gameServerId,
    call: callingByFiles(spoolDir),
    words: { order: 'events/ has the order, replies/ gets the reply', end: 'events/ has the end' },
    takeOrder: async (id) => ({
      quantity: Number((await answer(`transfer_order-${id}.json`, { observedQuantity })).quantity),
    }),
    hearEnd: async (id) => ({ outcome: String((await answer(`transaction_terminal-${id}.json`, {})).outcome) }),
    [Symbol.dispose]: () => undefined,
  }
}

/** The game server has neither a port nor files for orders: it asks for them. */
export async function gameServerThatAsks(stage: Stage): Promise<GameServer> {
  const agent = await stage.startAgent('that-asks', {})
  const call = callingByHttp(agent.url)
  const listed = async (list: 'orders' | 'closed', transactionId: number) => {
    const { data } = await call('orders.open', {})
    return (data[list] as HandedEvent[] | undefined)?.find((order) => order.transactionId === transactionId)
  }
  return {
    id: agent.gameServerId,
    call,
    words: { order: 'orders.open has the order, orders.take takes it', end: 'orders.open has the end' },
    async takeOrder(transactionId) {
      const { quantity } = await until(() => listed('orders', transactionId), `order ${transactionId}`)
      await call('orders.take', { transactionId, observedQuantity })
      return { quantity: Number(quantity) }
    },
    async hearEnd(transactionId) {
      const outcome = await until(async () => (await listed('closed', transactionId))?.outcome, 'outcome')
      return { outcome }
    },
    [Symbol.dispose]: () => undefined,
  }
}
