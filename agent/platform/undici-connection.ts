import type { Socket } from 'node:net'
import { createSecureContext, type SecureContext } from 'node:tls'
import type { buildConnector } from 'undici'
import Client from 'undici/lib/dispatcher/client.js'
import { AttemptHandler } from './attempt-handler.ts'
import type { AttemptResult } from './attempt-result.ts'
import type { Connect, SignedRequest } from './connection.ts'
import { ConnectionPool, type OpenConnection } from './connection-pool.ts'
import { platformConnector } from './connector.ts'
import { trustedCas } from './trusted-cas.ts'

/** The pool decides how long a connection stays open, and a server may say that it is shorter. */
const keepAliveMs = 600_000

export const connectToPlatform: Connect = ({ origin, extraCa, proxy, attemptTimeoutMs, idle, clock }) => {
  const secureContext = secureContextFor(origin, extraCa)
  const openSocket = platformConnector({ secureContext, proxy, timeoutMs: attemptTimeoutMs })
  const open = (onEnd: () => void) => openConnection(origin, openSocket, onEnd)
  const pool = new ConnectionPool<SignedRequest>({ open, clock })

  const sendAlone = async (request: SignedRequest, handler: AttemptHandler): Promise<void> => {
    try {
      const connection = await open(() => undefined)
      handler.ride = { ...handler.ride, onAnswered: () => connection.destroy(), onBroken: () => connection.destroy() }
      if (handler.isSettled) connection.destroy()
      else connection.carry({ ...request, headers: [...request.headers, 'connection', 'close'] }, handler)
    } catch (error) {
      handler.fail(error as Error)
    }
  }

  return {
    send(request, { timeoutMs }) {
      const { promise, resolve } = Promise.withResolvers<AttemptResult>()
      const handler = new AttemptHandler(resolve)
      handler.cancelTimer = clock.after(timeoutMs, () => handler.giveUp(timeoutMs))
      void (idle === 'kept' ? pool.send(request, handler) : sendAlone(request, handler))
      return promise
    },
    close: async () => pool.close(),
  }
}

/** Opens a connection, and puts it into undici's hands with its first request. */
async function openConnection(
  origin: string,
  openSocket: buildConnector.connector,
  onEnd: () => void,
): Promise<OpenConnection<SignedRequest>> {
  const { protocol, host, hostname, port } = new URL(origin)
  const socket = await new Promise<Socket>((resolve, reject) => {
    const target = { protocol, host, hostname: hostname.replace(/^\[(.*)\]$/, '$1'), port }
    openSocket(target, (error, opened) => (error === null ? resolve(opened) : reject(error)))
  })
  // Nothing comes over a connection without a request, but its end.
  const end = () => socket.destroy()
  socket.on('error', () => undefined).on('readable', end)
  socket.once('close', onEnd)
  let client: Client | undefined
  return {
    get isOpen() {
      return !socket.destroyed
    },
    carry({ method, path, headers, body }, handler) {
      client ??= new Client(origin, {
        ...{ headersTimeout: 0, bodyTimeout: 0, allowH2: false, pipelining: 1 },
        ...{ keepAliveTimeout: keepAliveMs, keepAliveMaxTimeout: keepAliveMs, keepAliveTimeoutThreshold: 0 },
        // Not at once: undici is in the middle of its own work. It asks again when the socket has ended.
        connect: (_options, callback) =>
          queueMicrotask(() => {
            socket.off('readable', end)
            if (socket.destroyed) callback(new Error('the connection has ended'), null)
            else callback(null, socket)
          }),
      })
      try {
        client.dispatch({ origin, method, path, headers: headers as string[], body }, handler)
      } catch (error) {
        handler.fail(error as Error)
      }
    },
    destroy() {
      if (client) void client.destroy()
      else socket.destroy()
    },
  }
}

/** What connections to an origin trust. Undefined without TLS. Made once, because reading some 150 certificates costs milliseconds. */
export function secureContextFor(origin: string, extraCa: string | undefined): SecureContext | undefined {
  if (!origin.startsWith('https:')) return undefined
  return createSecureContext({ ca: trustedCas(extraCa), minVersion: 'TLSv1.2' })
}
