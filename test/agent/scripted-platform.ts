import type { AddressInfo } from 'node:net'
import { createServer, type Server, type Socket } from 'node:net'

/** One request as it came over the wire. */
export interface SeenRequest {
  readonly method: string
  readonly path: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Which connection brought it, counted from 1. */
  readonly connection: number
  /** The decoded protected header. */
  readonly envelope: {
    readonly jti: string
    readonly exp: number
    readonly iat: number
    readonly htm: string
    readonly htu: string
  }
}

/** What the platform does with one request. */
export type Step =
  | {
      readonly status: number
      readonly body?: string
      readonly headers?: Readonly<Record<string, string>>
      readonly onRequest?: () => void
    }
  /** Resets the connection, answers nothing and closes, answers half, garbles, or keeps silent. */
  | { readonly fault: 'reset' | 'close' | 'cut' | 'garbage' | 'silence'; readonly onRequest?: () => void }

/** A platform that does what a test says, request by request, over real sockets. */
export class ScriptedPlatform implements AsyncDisposable {
  readonly seen: SeenRequest[] = []
  readonly steps: Step[] = []
  /** What is done when no step is left. */
  otherwise: Step = { status: 200, body: '{"data":{}}' }
  #server: Server | undefined
  #port = 0
  #connections = 0
  readonly #sockets = new Set<Socket>()
  #waiting: { count: number; resolve: () => void }[] = []

  static async start(steps: readonly Step[] = []): Promise<ScriptedPlatform> {
    const platform = new ScriptedPlatform()
    platform.steps.push(...steps)
    await platform.listen()
    return platform
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** Listens on the port that it had before, if any. */
  async listen(): Promise<void> {
    const server = createServer((socket) => this.#accept(socket))
    this.#server = server
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve))
    this.#port = (server.address() as AddressInfo).port
  }

  /** Refuses connections from now on, and drops those that are open. */
  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.resetAndDestroy()
    const server = this.#server
    this.#server = undefined
    if (server) await new Promise((resolve) => server.close(resolve))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  /** Resolves when that many requests were seen in all. */
  async requests(count: number): Promise<void> {
    if (this.seen.length >= count) return
    await new Promise<void>((resolve) => this.#waiting.push({ count, resolve }))
  }

  #accept(socket: Socket): void {
    const connection = ++this.#connections
    this.#sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('close', () => this.#sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    let received = ''
    socket.setEncoding('latin1').on('data', (chunk) => {
      received += chunk
      for (;;) {
        const request = takeRequest(received, connection)
        if (!request) return
        received = received.slice(request.length)
        this.seen.push(request.seen)
        this.#waiting = this.#waiting.filter(({ count, resolve }) => this.seen.length < count || void resolve())
        this.#answer(socket, this.steps.shift() ?? this.otherwise)
      }
    })
  }

  #answer(socket: Socket, step: Step): void {
    step.onRequest?.()
    if ('status' in step) {
      const body = Buffer.from(step.body ?? '')
      const headers = Object.entries(step.headers ?? {}).map(([name, value]) => `${name}: ${value}\r\n`)
      socket.write(`HTTP/1.1 ${step.status} X\r\n${headers.join('')}content-length: ${body.byteLength}\r\n\r\n`)
      socket.write(body)
      return
    }
    if (step.fault === 'reset') socket.resetAndDestroy()
    else if (step.fault === 'close') socket.end()
    else if (step.fault === 'cut') socket.end('HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{"data":{')
    else if (step.fault === 'garbage') socket.end('SSH-2.0-OpenSSH_9.2\r\n')
  }
}

function takeRequest(received: string, connection: number): { seen: SeenRequest; length: number } | undefined {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const [requestLine = '', ...lines] = received.slice(0, headEnd).split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  const length = headEnd + 4 + Number(headers['content-length'] ?? 0)
  if (received.length < length) return undefined
  const [method = '', path = ''] = requestLine.split(' ')
  const [protectedSegment = ''] = (headers['x-platform-signature'] ?? '').split('.')
  const envelope =
    protectedSegment === '' ? {} : JSON.parse(Buffer.from(protectedSegment, 'base64url').toString('utf8'))
  const body = Buffer.from(received.slice(headEnd + 4, length), 'latin1').toString('utf8')
  return { seen: { method, path, headers, body, connection, envelope }, length }
}
