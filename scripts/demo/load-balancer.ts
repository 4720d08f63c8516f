import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { pipeline } from 'node:stream'

/** An agent behind a load balancer. */
interface Target {
  readonly host: string
  readonly webhookUrl: string
}

/** A load balancer for webhooks. The platform makes a connection of its own for each. */
export interface LoadBalancer extends Disposable {
  readonly webhookUrl: string
  /** The host that each webhook reached, in their order. */
  readonly reached: readonly string[]
}

/** Starts one that gives each connection to the next host that accepts it. */
export async function startLoadBalancer(targets: readonly Target[]): Promise<LoadBalancer> {
  const reached: string[] = []
  let turn = 0
  async function connectToNext(): Promise<Socket | undefined> {
    for (const _ of targets) {
      const target = targets[turn++ % targets.length]
      const socket = connect(Number(new URL(target?.webhookUrl ?? '').port), '127.0.0.1')
      try {
        await once(socket, 'connect')
        reached.push(target?.host ?? '')
        return socket
      } catch {
        // A host that is dead: the next one.
        socket.destroy()
      }
    }
    return undefined
  }
  const server = createServer(async (client) => {
    // The platform sends a webhook again that no host has answered.
    client.on('error', () => undefined)
    const host = await connectToNext()
    if (host) pipeline(client, host, client, () => undefined)
    else client.destroy()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  // As the port of a game server.
  server.unref()
  const webhookUrl = new URL(targets[0]?.webhookUrl ?? '')
  webhookUrl.port = String((server.address() as AddressInfo).port)
  return { webhookUrl: webhookUrl.href, reached, [Symbol.dispose]: () => void server.close() }
}
