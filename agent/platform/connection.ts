import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import type { Dispatcher } from 'undici'
import Client from 'undici/lib/dispatcher/client.js'
import Pool from 'undici/lib/dispatcher/pool.js'
import type { Clock } from '../clock/clock.ts'
import { AttemptHandler } from './attempt-handler.ts'
import type { AttemptResult } from './attempt-result.ts'
import { platformConnector } from './connector.ts'

/** One signed request, ready to be written. */
export interface SignedRequest {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  /** A name, its value, the next name, and so on. */
  readonly headers: readonly string[]
  readonly body: Uint8Array | null
}

/** A connection to the platform. */
export interface PlatformConnection {
  /**
   * Sends one request and waits for the whole answer. It follows no redirects and sends nothing twice.
   *
   * @param options.fresh Uses a connection of its own. On a used one a request can be lost, when the server is closing it.
   */
  send(request: SignedRequest, options: { fresh: boolean; timeoutMs: number }): Promise<AttemptResult>
  close(): Promise<void>
}

export interface ConnectionOptions {
  /** Scheme, host and port. */
  readonly origin: string
  /** PEM certificates trusted beside the system's store and Node's own list. */
  readonly extraCa: string | undefined
  readonly proxy: URL | undefined
  /** How long a shared connection may take to be made. An attempt that waits for it has no more time. */
  readonly attemptTimeoutMs: number
  readonly clock: Clock
}

const connectionsMax = 128

/** Opens no socket yet: the first request does. */
export function connectToPlatform(options: ConnectionOptions): PlatformConnection {
  const { origin, extraCa, proxy, attemptTimeoutMs, clock } = options
  const secureContext = secureContextFor(origin, extraCa)
  // Our own timer ends an attempt. One of undici would end it a second time, with another error.
  const common = { headersTimeout: 0, bodyTimeout: 0, allowH2: false, pipelining: 1 }
  const connect = (timeoutMs: number) => platformConnector({ secureContext, proxy, timeoutMs })
  const pooled = new Pool(origin, { ...common, connections: connectionsMax, connect: connect(attemptTimeoutMs) })

  const send = (
    dispatcher: Dispatcher,
    request: SignedRequest,
    timeoutMs: number,
    reset: boolean,
  ): Promise<AttemptResult> =>
    new Promise((resolve) => {
      const handler = new AttemptHandler(resolve)
      handler.cancelTimer = clock.after(timeoutMs, () => handler.giveUp(timeoutMs))
      const { method, path, headers, body } = request
      try {
        dispatcher.dispatch({ origin, method, path, headers: headers as string[], body, reset }, handler)
      } catch (error) {
        handler.fail(error as Error)
      }
    })

  return {
    async send(request, { fresh: isFresh, timeoutMs }) {
      if (!isFresh) return send(pooled, request, timeoutMs, false)
      const own = new Client(origin, { ...common, connect: connect(timeoutMs) })
      const result = await send(own, request, timeoutMs, true)
      await own.destroy()
      return result
    },
    close: () => pooled.destroy(),
  }
}

let usualCas: readonly string[] | undefined

/**
 * What connections to an origin trust: the system's store, Node's own list, and the given certificates (PEM). Undefined
 * without TLS. Made once for each use, because reading some 150 certificates for each connection costs milliseconds. A
 * system lists most of its certificates three times, and Node has many of them as well: each is read once.
 */
export function secureContextFor(origin: string, extraCa: string | undefined): SecureContext | undefined {
  if (!origin.startsWith('https:')) return undefined
  usualCas ??= [...new Set([...getCACertificates('bundled'), ...getCACertificates('system')])]
  return createSecureContext({
    ca: extraCa === undefined ? [...usualCas] : [...usualCas, extraCa],
    minVersion: 'TLSv1.2',
  })
}
