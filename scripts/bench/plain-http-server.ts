import { createServer, type Server, type Socket } from 'node:net'

/** One request as it came. */
export interface PlainRequest {
  readonly method: string
  readonly path: string
  /** The values of a header, by its lower-case name. */
  readonly header: (name: string) => readonly string[]
  readonly body: Buffer
}

export interface PlainAnswer {
  readonly status: number
  /** JSON, or empty. */
  readonly text: string
}

/**
 * HTTP/1.1 over bare sockets, as much of it as the benchmark's callers speak: keep-alive, bodies with a `Content-Length`.
 * What a whole server costs would stand in every row, and hide what the rows differ in.
 */
export function plainHttpServer(answer: (request: PlainRequest) => Promise<PlainAnswer>): Server {
  return createServer({ noDelay: true }, (socket) => {
    let received: Buffer = Buffer.alloc(0)
    let isAnswering = false
    socket.on('error', () => socket.destroy())
    socket.on('data', (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      void answerAll()
    })

    /** One after another: answers leave in the order of their requests. */
    async function answerAll(): Promise<void> {
      if (isAnswering) return
      isAnswering = true
      for (let taken = take(received); taken; taken = take(received)) {
        received = received.subarray(taken.length)
        write(socket, await answer(taken.request))
      }
      isAnswering = false
    }
  })
}

function take(received: Buffer): { request: PlainRequest; length: number } | undefined {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const [requestLine = '', ...lines] = received.toString('latin1', 0, headEnd).split('\r\n')
  const header = (name: string) =>
    lines
      .filter((line) => line[name.length] === ':' && line.slice(0, name.length).toLowerCase() === name)
      .map((line) => line.slice(name.length + 1).trim())
  const length = headEnd + 4 + Number(header('content-length')[0] ?? 0)
  if (received.length < length) return undefined
  const [method = '', path = ''] = requestLine.split(' ')
  return { request: { method, path, header, body: received.subarray(headEnd + 4, length) }, length }
}

function write(socket: Socket, { status, text }: PlainAnswer): void {
  const type = text === '' ? '' : 'Content-Type: application/json\r\n'
  socket.write(
    `HTTP/1.1 ${status} ${status < 300 ? 'OK' : 'Refused'}\r\n${type}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  )
}
