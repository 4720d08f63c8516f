import { type RequestOptions, request } from 'node:http'
import { isIP, type Socket } from 'node:net'
import { connect as connectTls, type SecureContext, TLSSocket } from 'node:tls'
import type { buildConnector } from 'undici'
import makeConnector from 'undici/lib/core/connect.js'
import { ProxyError } from './connection.ts'

export interface ConnectorOptions {
  readonly secureContext: SecureContext | undefined
  readonly proxy: URL | undefined
  readonly timeoutMs: number
}

/** Opens sockets to the platform, through the proxy if there is one. A TLS error carries its `certificate`. */
export function platformConnector({ secureContext, proxy, timeoutMs }: ConnectorOptions): buildConnector.connector {
  const connect = makeConnector({ allowH2: false, timeout: timeoutMs, ...(secureContext && { secureContext }) })
  const open = (options: buildConnector.Options, callback: buildConnector.Callback): void => {
    const socket = connect(options, callback)
    if (socket instanceof TLSSocket) addCertificateToErrors(socket)
  }
  if (!proxy) return open
  return (options, callback) => {
    openTunnel(`${options.hostname}:${options.port || 443}`, proxy, secureContext, timeoutMs).then(
      (httpSocket) => open({ ...options, httpSocket }, callback),
      (error: Error) => callback(error, null),
    )
  }
}

/** Node gives the certificate only with a wrong name. Its issuer is what a person needs to see. */
function addCertificateToErrors(socket: TLSSocket): void {
  // Before Node's own listener, which verifies and destroys.
  socket.prependOnceListener('secure', () => {
    const certificate = socket.getPeerX509Certificate()
    socket.prependOnceListener('error', (error) => Object.assign(error, { certificate }))
  })
}

function openTunnel(
  target: string,
  proxy: URL,
  secureContext: SecureContext | undefined,
  timeoutMs: number,
): Promise<Socket> {
  const isTls = proxy.protocol === 'https:'
  const host = proxy.hostname.replace(/^\[(.*)\]$/, '$1')
  const port = Number(proxy.port || (isTls ? 443 : 80))
  const openTls = (): Socket => {
    const socket = connectTls({
      host,
      port,
      servername: isIP(host) ? '' : host,
      ...(secureContext && { secureContext }),
    })
    addCertificateToErrors(socket)
    return socket
  }
  const options: RequestOptions = {
    method: 'CONNECT',
    agent: false,
    host,
    port,
    path: target,
    timeout: timeoutMs,
    headers: { host: target, ...authorizationOf(proxy) },
    ...(isTls && { createConnection: openTls }),
  }
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const asking = request(options)
  const refuse = (status: number | undefined): void => {
    reject(new ProxyError({ status: status ?? 0 }))
    asking.destroy()
  }
  asking
    .on('connect', ({ statusCode }, socket: Socket) => {
      if (statusCode === 200) return resolve(socket.setTimeout(0))
      socket.destroy()
      refuse(statusCode)
    })
    .on('response', ({ statusCode }) => refuse(statusCode))
    .on('timeout', () => asking.destroy(new Error(`no answer within ${Math.round(timeoutMs)} ms`)))
    .on('error', (cause) => reject(new ProxyError({ cause })))
    .end()
  return promise
}

function authorizationOf({ username, password }: URL): { 'proxy-authorization'?: string } {
  if (username === '') return {}
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { 'proxy-authorization': `Basic ${Buffer.from(credentials, 'utf8').toString('base64')}` }
}
