import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** An answer, as far as the benchmark looks at it. */
export interface BareAnswer {
  readonly status: number
  /** One character for each byte. */
  readonly body: string
}

/**
 * One HTTP/1.1 connection over a bare socket, one request at a time: a whole client in the load generator would take as
 * much of the machine as what it is to measure. Understands only answers with a `Content-Length`.
 */
export class BareConnection {
  readonly #socket: Socket
  #received = ''
  #settle: { resolve: (answer: BareAnswer) => void; reject: (error: Error) => void } | undefined

  /** @throws {Error} Nobody takes the connection. */
  static async open(url: string, patienceMs: number): Promise<BareConnection> {
    const { hostname, port } = new URL(url)
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    await once(socket, 'connect')
    return new BareConnection(socket, patienceMs)
  }

  private constructor(socket: Socket, patienceMs: number) {
    this.#socket = socket
    socket.setTimeout(patienceMs, () => this.#fail('no answer'))
    socket.on('error', (error) => this.#fail(error.message))
    socket.on('close', () => this.#fail('the connection ended'))
    // One character for each byte, so that lengths count bytes.
    socket.setEncoding('latin1')
    socket.on('data', (text) => this.#read(String(text)))
  }

  /** The other side ended it, as servers do with what has been idle for long. */
  get isOver(): boolean {
    return this.#socket.destroyed || this.#socket.readyState !== 'open'
  }

  /**
   * Sends a whole request.
   *
   * @throws {Error} The connection ended, or no answer came in time.
   */
  exchange(request: string | Buffer): Promise<BareAnswer> {
    return new Promise((resolve, reject) => {
      this.#received = ''
      this.#settle = { resolve, reject }
      if (this.#socket.destroyed) return this.#fail('the connection has ended')
      this.#socket.write(request)
    })
  }

  end(): void {
    this.#settle = undefined
    this.#socket.destroy()
  }

  #read(text: string): void {
    this.#received += text
    const headEnd = this.#received.indexOf('\r\n\r\n')
    if (headEnd < 0) return
    const length = /^content-length: (\d+)\r?$/im.exec(this.#received.slice(0, headEnd))?.[1]
    const body = this.#received.slice(headEnd + 4)
    if (length === undefined) this.#fail('an answer without Content-Length')
    else if (body.length >= Number(length)) this.#settle?.resolve({ status: Number(this.#received.slice(9, 12)), body })
  }

  #fail(why: string): void {
    this.#settle?.reject(new Error(`${why}: ${JSON.stringify(this.#received.slice(0, 1_000))}`))
    this.end()
  }
}
