import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { Connections } from './connections.ts'
import type { HttpServer, HttpServerOptions } from './listen.ts'
import { readBody } from './read-body.ts'
import { takePort } from './take-port.ts'
import { refuseMalformed, writeAnswer } from './write-answer.ts'

/** @throws {NodeJS.ErrnoException} The port cannot be taken. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const connections = new Connections(options.connectionsMax)
  const requests = new Set<Promise<void>>()

  async function handle(request: IncomingMessage, response: ServerResponse<IncomingMessage>): Promise<void> {
    const { method = '', url: target = '', rawHeaders } = request
    const readBodyOf = (): ReturnType<typeof readBody> => {
      if ('expect' in request.headers) response.writeContinue()
      return readBody(request)
    }
    try {
      const answer = await options.door({ method, target, rawHeaders, readBody: readBodyOf })
      if (!answer) return void response.destroy()
      const hasLeft = await writeAnswer(request, response, answer, () => connections.isLast(request, response))
      await answer.onSent?.(hasLeft)
    } catch (error) {
      options.onBug(error)
      response.destroy()
    }
  }

  function onRequest(request: IncomingMessage, response: ServerResponse<IncomingMessage>): void {
    connections.addRequest(request, response)
    const ended = handle(request, response).finally(() => requests.delete(ended))
    requests.add(ended)
  }

  const server = createServer(
    {
      headersTimeout: 5_000,
      requestTimeout: 10_000,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: options.keepAliveTimeoutMs,
      // Our own answer to it is JSON.
      requireHostHeader: false,
    },
    onRequest,
  )
  // A caller may close its side as soon as it has sent everything: its answer is still owed.
  Object.assign(server, { httpAllowHalfOpen: true })
  server.on('connection', (socket) => connections.add(socket))
  server.on('checkContinue', onRequest)
  server.on('checkExpectation', onRequest)
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
    // Something that is not HTTP may follow complete requests; their answers still leave first, with nothing else.
    if (connections.endAfterAnswers(socket)) return
    options.onMalformed(refuseMalformed(error, socket, options.malformedText), error.code)
  })
  await takePort(server, options.port)
  const { host } = options.port
  const { port } = server.address() as AddressInfo
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      connections.close()
      await Promise.all([closed, ...requests])
    },
    destroy() {
      server.close()
      server.closeAllConnections()
    },
  }
}
