import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/** Ports that belong to one course while it runs. Disposing gives them back. */
export interface CoursePorts extends AsyncDisposable {
  readonly agent: number
  readonly webhooks: number
  readonly gameServer: number
  /** In front of the agent, and in front of the game server. */
  readonly agentWire: number
  readonly gameWire: number
}

/** Below the ports that systems give to outgoing connections, so that a killed program finds its port free again. */
const blocks = { first: 10_000, count: 2_000, size: 6 } as const

/**
 * Takes a block of ports. The course listens on the first port of the block until the end, so that no other course takes
 * the block while a program of this one is down.
 */
export async function takePorts(): Promise<CoursePorts> {
  const start = Math.floor(Math.random() * blocks.count)
  for (let n = 0; n < blocks.count; n++) {
    const port = blocks.first + blocks.size * ((start + n) % blocks.count)
    const guard = await listenOn(port)
    if (!guard) continue
    const own = await Promise.all([1, 2, 3, 4, 5].map((n) => listenOn(port + n)))
    await Promise.all(own.map((server) => server && close(server)))
    if (own.every((server) => server !== undefined)) {
      guard.unref()
      const programs = { agent: port + 1, webhooks: port + 2, gameServer: port + 3 }
      const wires = { agentWire: port + 4, gameWire: port + 5 }
      return { ...programs, ...wires, [Symbol.asyncDispose]: () => close(guard) }
    }
    await close(guard)
  }
  throw new Error('no free ports')
}

async function listenOn(port: number): Promise<Server | undefined> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
    return server
  } catch {
    return undefined
  }
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  await closed
}
