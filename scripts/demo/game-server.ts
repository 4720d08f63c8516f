import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OrderReply } from '../../contract/order-reply.ts'
import { until } from '../until.ts'
import { type Caller, callingByFiles, callingByHttp, writeWhole } from './callers.ts'
import { Game, type HandedEvent } from './handler.ts'
import { openOrderPort } from './order-port.ts'
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
  const port = await openOrderPort()
  const agent = await stage.startAgent('with-http', port.settingsFor('agent'))
  return {
    ...port,
    id: agent.gameServerId,
    call: callingByHttp(agent.url),
    words: { order: 'the agent posts transfer_order', end: 'the agent posts transaction_terminal' },
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
