import { createServer, type Server, STATUS_CODES } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Clock } from '../clock/clock.ts'
import { httpDate } from '../clock/iso.ts'
import { refuse } from '../marketplace/refusal.ts'
import { exitCodes, UserError } from '../user-error.ts'
import type { Listener } from './write-answer.ts'

/** Node's server with bounds on slow senders, its answers dated by the stub's clock even where no route was reached. */
export function makeServer(listener: Listener, clock: Clock): Server {
  const server = createServer(
    {
      headersTimeout: 5_000,
      requestTimeout: 10_000,
      // Longer than the pause that most clients make between two requests: they find the connection open.
      keepAliveTimeout: 65_000,
      connectionsCheckingInterval: 1_000,
    },
    listener,
  )
  server.on('clientError', (error: Error & { readonly code?: string }, socket) => {
    if (!socket.writable) socket.destroy()
    else socket.end(malformedAnswer(error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400, clock))
  })
  return server
}

/** What a connection gets whose bytes are not a request, or are too late. */
function malformedAnswer(status: 400 | 408, clock: Clock): string {
  const body = JSON.stringify({ message: refuse('REQUEST_MALFORMED').message })
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Date: ${httpDate(clock.nowMs())}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n')
}

/** Where to listen, and the option that says so. */
interface Address {
  readonly host: string
  readonly port: number
  readonly option: '--port' | '--developer-port'
}

/** The address cannot be listened on. */
class ListenError extends UserError {
  override readonly name = 'ListenError'
  override readonly exitCode = exitCodes.usage

  constructor({ host, port, option }: Address, cause: Error & { readonly code?: string }) {
    const reason =
      cause.code === 'EADDRINUSE' ? `is in use; choose another ${option}` : `cannot be used: ${cause.message}`
    super(`${host}:${port} ${reason}`, { cause })
  }
}

/**
 * @returns The address that the server listens on, as a URL that reaches it from this machine.
 * @throws {ListenError} The address is taken or not this machine's.
 */
export function listen(server: Server, address: Address): Promise<string> {
  const { host, port } = address
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(new ListenError(address, error)))
    server.listen(port, host, () => resolve(urlOf(server, host)))
  })
}

function urlOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? (host.includes(':') ? `[${host}]` : host)
  return `http://${reachable}:${port}`
}

/** A graceful end waits this long for requests in flight. */
const shutdownMs = 10_000

/** Takes no new connection, lets requests in flight finish, and cuts what is left when the time is up. */
export function closeServer(server: Server, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    let cancelTick = (): void => undefined
    // A connection that becomes idle after the closing began would otherwise stay for its whole keep-alive.
    const tick = (): void => {
      server.closeIdleConnections()
      cancelTick = clock.after(50, tick)
    }
    const cancelEnd = clock.after(shutdownMs, () => server.closeAllConnections())
    server.close(() => {
      cancelTick()
      cancelEnd()
      resolve()
    })
    tick()
  })
}
