import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

const answerTimeoutMs = 30_000

/** An answer, as far as the benchmark looks at it. */
export interface BareAnswer {
  readonly status: number
  readonly body: string
}

/** The bytes of a request. */
export function httpRequest(method: string, path: string, headers: Record<string, string>, body = ''): Buffer {
  const bodyHeaders = body && { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)) }
  const lines = Object.entries({ Host: '127.0.0.1', ...headers, ...(bodyHeaders || {}) })
  return Buffer.from(
    `${method} ${path} HTTP/1.1\r\n${lines.map((line) => `${line.join(': ')}\r\n`).join('')}\r\n${body}`,
  )
}

/**
 * One HTTP/1.1 connection over a bare socket, one request at a time. A whole HTTP client would use as much of the machine
 * as the servers that are measured. Understands only answers with a `Content-Length`.
 */
export class BareConnection {
  readonly #socket: Socket
  #received = ''
  #exchange: PromiseWithResolvers<BareAnswer> | undefined

  /** @throws {Error} The connection is refused. */
  static async open(url: string): Promise<BareConnection> {
    const { hostname, port } = new URL(url)
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    await once(socket, 'connect')
    return new BareConnection(socket)
  }

  /** One request on a connection of its own. @throws {Error} As `open` and `exchange` do. */
  static async exchangeOnce(url: string, request: Buffer): Promise<BareAnswer> {
    const connection = await BareConnection.open(url)
    try {
      return await connection.exchange(request)
    } finally {
      connection.end()
    }
  }

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setTimeout(answerTimeoutMs, () => this.#fail('no answer'))
    socket.on('error', (error) => this.#fail(error.message))
    socket.on('close', () => this.#fail('the connection ended'))
    // One character for each byte, so that lengths count bytes.
    socket.setEncoding('latin1')
    socket.on('data', (text) => this.#read(String(text)))
  }

  /** Sends a whole request. @throws {Error} The connection ended, or no answer came within 30 s. */
  exchange(request: Buffer): Promise<BareAnswer> {
    this.#received = ''
    this.#exchange = Promise.withResolvers()
    if (this.#socket.destroyed) this.#fail('the connection has ended')
    else this.#socket.write(request)
    return this.#exchange.promise
  }

  end(): void {
    this.#exchange = undefined
    this.#socket.destroy()
  }

  #read(text: string): void {
    this.#received += text
    const headEnd = this.#received.indexOf('\r\n\r\n')
    if (headEnd < 0) return
    const length = /^content-length: (\d+)\r?$/im.exec(this.#received.slice(0, headEnd))?.[1]
    const bytes = this.#received.slice(headEnd + 4)
    if (length === undefined) this.#fail('an answer without Content-Length')
    else if (bytes.length >= Number(length)) {
      const body = Buffer.from(bytes, 'latin1').toString('utf8')
      this.#exchange?.resolve({ status: Number(this.#received.slice(9, 12)), body })
    }
  }

  #fail(why: string): void {
    this.#exchange?.reject(new Error(`${why}: ${JSON.stringify(this.#received.slice(0, 1_000))}`))
    this.end()
  }
}
