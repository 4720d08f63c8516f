import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Listens on a free port and prints the line that `startProgram` waits for. */
export function announce(server: Server): void {
  server.keepAliveTimeout = 65_000
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo
    console.log(JSON.stringify({ msg: 'listening', url: `http://127.0.0.1:${port}` }))
  })
}
