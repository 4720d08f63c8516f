import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { OrderReply } from '../../contract/order-reply.ts'
import { until } from '../until.ts'
import { Game, type HandedEvent } from './handler.ts'

/** An event that an agent posted. */
export interface Post {
  /** The agent. */
  readonly by: string
  readonly event: HandedEvent
}

/** The port of a game server to which its agents post events, and the game behind it. */
export interface OrderPort extends Disposable {
  readonly game: Game
  /** Everything that was posted so far. */
  readonly posts: readonly Post[]
  /** The settings of an agent that posts its events here. */
  settingsFor(agent: string): Readonly<Record<string, string>>
  /** Whether the game server replies to orders. While it does not, it gives nothing. */
  setReplying(isReplying: boolean): void
  /** Waits for the paid order of a transaction. @returns What the game server replied. */
  handleOrder(transactionId: number): Promise<OrderReply>
  /** Waits for the terminal event of a transaction. */
  hearEnd(transactionId: number): Promise<HandedEvent>
}

/** Opens a port of a game server. */
export async function openOrderPort(): Promise<OrderPort> {
  const game = new Game()
  const posts: Post[] = []
  const replies = new Map<number, OrderReply>()
  const token = randomUUID()
  let isReplying = true
  const server = createServer(async (request, response) => {
    // Anyone who reaches this port could post an order. Only the agents know the token.
    if (request.headers.authorization !== `Bearer ${token}`) return void response.writeHead(401).end()
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const event = JSON.parse(Buffer.concat(chunks).toString('utf8')) as HandedEvent
    posts.push({ by: request.url?.slice(1) ?? '', event })
    const isOrder = event.event === 'transfer_order'
    if (isOrder && !isReplying) return
    if (isOrder) replies.set(event.transactionId, game.handle(event))
    const reply = isOrder ? replies.get(event.transactionId) : {}
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A demo that fails before the end of this server must end too.
  server.unref()
  const { port } = server.address() as AddressInfo
  return {
    game,
    posts,
    settingsFor: (agent) => ({
      SERVICE_WEBHOOK_FORWARD_URL: `http://127.0.0.1:${port}/${agent}`,
      SERVICE_WEBHOOK_FORWARD_TOKEN: token,
    }),
    setReplying(value) {
      isReplying = value
    },
    handleOrder: (id) => until(() => replies.get(id), `order ${id}`),
    hearEnd: (id) =>
      until(
        () => posts.find(({ event }) => event.event === 'transaction_terminal' && event.transactionId === id)?.event,
        `terminal event of transaction ${id}`,
      ),
    [Symbol.dispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}
