import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Hono } from 'hono'
import type { Clock } from '../clock/clock.ts'
import { httpDate } from '../clock/iso.ts'
import type { StubEnv } from '../developer/control/control-parts.ts'
import { refuse } from '../marketplace/refusal.ts'
import { lazily } from '../pages/lazily.ts'
import { stubLimits } from '../store/stub-limits.ts'
import { exitCodes, UserError } from '../store/user-error.ts'

/** Answers one request. */
export type Listener = (incoming: IncomingMessage, response: ServerResponse) => void

/** Node's server with bounds on slow senders, its answers dated by the stub's clock even where no route was reached. */
export function makeServer(listener: Listener, clock: Clock): Server {
  const server = createServer(
    {
      headersTimeout: stubLimits.headersTimeoutMs,
      requestTimeout: stubLimits.requestTimeoutMs,
      keepAliveTimeout: stubLimits.keepAliveTimeoutMs,
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

/** What a connection gets whose bytes are no request, or not in time. */
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
 * @returns The address that the server listens on, as a URL that leads to it from this machine.
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

/** Takes no new connection, lets requests in flight finish, and cuts what is left when the time is up. */
export function closeServer(server: Server, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    let cancelTick = (): void => undefined
    // A connection that becomes idle after the closing began would otherwise stay for its whole keep-alive.
    const tick = (): void => {
      server.closeIdleConnections()
      cancelTick = clock.after(50, tick)
    }
    const cancelEnd = clock.after(stubLimits.shutdownMs, () => server.closeAllConnections())
    server.close(() => {
      cancelTick()
      cancelEnd()
      resolve()
    })
    tick()
  })
}

/**
 * Hands requests to the framework. The app and the framework's server package are loaded with the first of them: a stub
 * whose partners alone ask starts without pages, and without Node's built-in fetch, which the package brings along.
 */
export function frameworkListener(loadApp: () => Promise<Hono<StubEnv>>): Listener {
  const loaded = lazily(async (): Promise<Listener> => {
    const [app, { getRequestListener }] = await Promise.all([loadApp(), import('@hono/node-server')])
    return getRequestListener(app.fetch, { overrideGlobalObjects: false })
  })
  return async (incoming, response) => {
    const listener = await loaded()
    listener(incoming, response)
  }
}
