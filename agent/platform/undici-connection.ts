import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import type { Dispatcher } from 'undici'
import Client from 'undici/lib/dispatcher/client.js'
import Pool from 'undici/lib/dispatcher/pool.js'
import { AttemptHandler } from './attempt-handler.ts'
import type { AttemptResult } from './attempt-result.ts'
import type { Connect, SignedRequest } from './connection.ts'
import { platformConnector } from './connector.ts'

const connectionsMax = 128

export const connectToPlatform: Connect = ({ origin, extraCa, proxy, attemptTimeoutMs, clock }) => {
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
