import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

const patienceMs = 30_000

/** What a row of requests came to. */
export interface Driven {
  readonly elapsedS: number
  readonly latenciesMs: readonly number[]
}

/**
 * Sends each request once and waits for its answer, `inFlight` at a time, each place on a connection of its own. Bare
 * sockets, because a client library would take more of the machine than the servers that are measured.
 *
 * @throws {Error} An answer is not a 200 with a body, or none came within 30 s.
 */
export async function drive(url: string, requests: readonly Buffer[], inFlight: number): Promise<Driven> {
  const lines = await Promise.all(Array.from({ length: inFlight }, () => openLine(url)))
  const latenciesMs: number[] = []
  const queue = requests.values()
  const startMs = performance.now()
  try {
    await Promise.all(
      lines.map(async (line) => {
        for (const request of queue) {
          const beginMs = performance.now()
          await line.ask(request)
          latenciesMs.push(performance.now() - beginMs)
        }
      }),
    )
    return { elapsedS: (performance.now() - startMs) / 1_000, latenciesMs }
  } finally {
    for (const line of lines) line.close()
  }
}

/** One connection, one request at a time. */
export interface Line {
  readonly ask: (request: Buffer) => Promise<void>
  readonly close: () => void
}

/** @throws {Error} Nobody takes the connection. */
export async function openLine(url: string): Promise<Line> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  await once(socket, 'connect')
  return { ask: asker(socket), close: () => socket.destroy() }
}

function asker(socket: Socket): Line['ask'] {
  let received = ''
  let settle: { resolve: () => void; reject: (error: Error) => void } | undefined
  const fail = (why: string): void => settle?.reject(new Error(`${why}: ${JSON.stringify(received.slice(0, 1_000))}`))
  socket.setTimeout(patienceMs, () => fail('no answer'))
  socket.on('error', (error) => settle?.reject(error))
  socket.on('close', () => fail('the connection ended'))
  // One character for each byte, so that lengths count bytes.
  socket.setEncoding('latin1')
  socket.on('data', (text) => {
    received += text
    const headEnd = received.indexOf('\r\n\r\n')
    if (headEnd < 0) return
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(received)?.[1])
    if (received.length - headEnd - 4 < length) return
    if (received.startsWith('HTTP/1.1 200 ') && length > 0) settle?.resolve()
    else fail('not a 200 with a body')
  })
  return (request) =>
    new Promise((resolve, reject) => {
      received = ''
      settle = { resolve, reject }
      if (socket.destroyed) return fail('the connection has ended')
      socket.write(request)
    })
}
