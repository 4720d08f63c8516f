import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'

/** A way to a server. Disposing ends all its connections. */
export interface Distance extends AsyncDisposable {
  readonly port: number
}

/**
 * Puts distance before a server on loopback: what is written at one end arrives at the other end later, in order. Opening
 * takes a round trip, as TCP does, although the client has its socket at once: its first bytes wait for as long.
 */
export async function startDistance(serverPort: number, roundTripMs: number): Promise<Distance> {
  const oneWayMs = roundTripMs / 2
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (near) => {
    const far = connect({ host: '127.0.0.1', port: serverPort, noDelay: true, allowHalfOpen: true })
    forwardLater(near, far, oneWayMs, performance.now() + roundTripMs)
    forwardLater(far, near, oneWayMs, 0)
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await server[Symbol.asyncDispose]()
    },
  }
}

/** @param notBeforeMs Nothing leaves earlier. */
function forwardLater(from: Socket, to: Socket, oneWayMs: number, notBeforeMs: number): void {
  /** What is on its way, in order. */
  const underWay: (() => void)[] = []
  const later = (arrive: () => void) => {
    underWay.push(arrive)
    const now = performance.now()
    setTimeout(() => underWay.shift()?.(), Math.max(now, notBeforeMs) - now + oneWayMs)
  }
  from.on('data', (bytes) => later(() => to.write(bytes)))
  from.on('end', () => later(() => to.end()))
  // A reset travels like the rest.
  from.on('error', () => later(() => to.resetAndDestroy()))
}
