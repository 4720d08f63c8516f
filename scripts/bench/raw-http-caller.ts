import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

const patienceMs = 10_000

/** A connection that sends the same request again and again, and expects the same body each time. */
export interface RawHttpCaller {
  /**
   * One request and its answer. Only one at a time.
   *
   * @throws {Error} The answer is another, or none within 10 s.
   */
  readonly ask: () => Promise<void>
  readonly close: () => void
}

/**
 * Sends ready bytes over a bare socket and only compares what comes back: an HTTP client would take more of the machine
 * than the servers that it is to measure.
 */
export async function openRawHttpCaller(
  url: string,
  path: string,
  body: string,
  answer: string,
): Promise<RawHttpCaller> {
  const { hostname, port, host } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  await once(socket, 'connect')
  const head = [`POST ${path} HTTP/1.1`, `Host: ${host}`, 'Content-Type: application/json']
  const request = Buffer.from([...head, `Content-Length: ${Buffer.byteLength(body)}`, '', body].join('\r\n'))
  return {
    ask: asker(socket, request, Buffer.from(`\r\n\r\n${answer}`).toString('latin1')),
    close: () => socket.destroy(),
  }
}

function asker(socket: Socket, request: Buffer, end: string): () => Promise<void> {
  let received = ''
  let settle: { resolve: () => void; reject: (error: Error) => void } | undefined
  const fail = (why: string): void => settle?.reject(new Error(`${why}: ${JSON.stringify(received.slice(0, 1_000))}`))

  socket.setTimeout(patienceMs, () => fail('Not the expected answer'))
  socket.on('error', (error) => settle?.reject(error))
  socket.on('close', () => fail('The connection ended'))
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1')
    if (!received.endsWith(end)) return
    if (received.startsWith('HTTP/1.1 200 ')) settle?.resolve()
    else fail('Not status 200')
  })
  return () =>
    new Promise((resolve, reject) => {
      received = ''
      settle = { resolve, reject }
      if (socket.destroyed) return fail('The connection has ended')
      socket.write(request)
    })
}
