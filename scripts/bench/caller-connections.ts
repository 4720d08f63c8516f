import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

const patienceMs = 30_000

/** Keep-alive connections to a sidecar, as a game server has them. */
export interface CallerConnections {
  /**
   * POSTs JSON and gives the body of the answer.
   *
   * @throws {Error} The connection ended, or no answer came within 30 s.
   */
  readonly post: (path: string, json: string) => Promise<string>
  readonly close: () => void
}

/**
 * Bare sockets, one request at a time on each: a whole HTTP client in the load generator would take as much of the
 * machine as the sidecar takes without the signature. Understands only answers with a `Content-Length`.
 */
export function callerConnections(url: string): CallerConnections {
  const { hostname, port, host } = new URL(url)
  const idle: Connection[] = []
  const all: Connection[] = []

  async function opened(): Promise<Connection> {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    await once(socket, 'connect')
    const connection = new Connection(socket)
    all.push(connection)
    return connection
  }

  return {
    async post(path, json) {
      let connection = idle.pop()
      while (connection?.isOver) connection = idle.pop()
      connection ??= await opened()
      const head = `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: `
      const body = await connection.exchange(`${head}${Buffer.byteLength(json)}\r\n\r\n${json}`)
      idle.push(connection)
      return body
    },
    close: () => {
      for (const connection of all) connection.end()
    },
  }
}

/** One socket, and the exchange that is under way on it. */
class Connection {
  readonly #socket: Socket
  #received = ''
  #settle: { resolve: (body: string) => void; reject: (error: Error) => void } | undefined

  constructor(socket: Socket) {
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

  exchange(request: string): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#received = ''
      this.#settle = { resolve, reject }
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
    else if (body.length >= Number(length)) this.#settle?.resolve(Buffer.from(body, 'latin1').toString('utf8'))
  }

  #fail(why: string): void {
    this.#settle?.reject(new Error(`${why}: ${JSON.stringify(this.#received.slice(0, 1_000))}`))
    this.end()
  }
}
