import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

/** A server that closes idle connections. Disposing ends them all. */
export interface ClosingServer extends AsyncDisposable {
  readonly port: number
}

/**
 * Answers every request, and closes a connection that is idle for some time, used or not. It says so or does not.
 * Requests that arrive afterwards are lost, as behind a load balancer.
 */
export async function startClosingServer(idleMs: number, isAnnounced: boolean): Promise<ClosingServer> {
  const sockets = new Set<Socket>()
  const hint = isAnnounced ? `keep-alive: timeout=${Math.max(1, Math.floor(idleMs / 1_000))}\r\n` : ''
  const answer = `HTTP/1.1 200 OK\r\n${hint}content-length: 0\r\n\r\n`
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    let isClosing = false
    const timer = setTimeout(() => {
      isClosing = true
      socket.end()
    }, idleMs)
    socket
      .on('error', () => socket.destroy())
      .on('close', () => {
        clearTimeout(timer)
        sockets.delete(socket)
      })
      .on('data', () => {
        if (isClosing) return socket.resetAndDestroy()
        timer.refresh()
        return socket.write(answer)
      })
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
