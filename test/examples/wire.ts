import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse, request as send } from 'node:http'
import { buffer } from 'node:stream/consumers'

/** What gets lost: the request, before the program has it, or the program's answer to it. */
type Loss = 'request' | 'answer'

/** A request that came to the wire. `status`: that of the answer; null while there is none, and where it was lost. */
interface Passage {
  readonly body: string
  status: number | null
}

/** A loopback address in front of a program. It forwards every request, and loses those that it is told to lose. */
export class Wire implements AsyncDisposable {
  /** Everything that came, the newest last. */
  readonly passages: Passage[] = []
  readonly #port: number
  readonly #target: number
  #loses: (body: string) => Loss | undefined = () => undefined
  #server: Server | undefined

  constructor(port: number, target: number) {
    this.#port = port
    this.#target = target
  }

  async open(): Promise<void> {
    this.#server = createServer((request, response) => void this.#pass(request, response))
    await once(this.#server.listen(this.#port, '127.0.0.1'), 'listening')
  }

  /** From now on connections are refused. */
  async close(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    if (!server) return
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }

  /** Loses every request that has a text in its body, or the answer to it, until `mend`. */
  lose(loss: Loss, text: string): void {
    this.#loses = (body) => (body.includes(text) ? loss : undefined)
  }

  /** The requests with an event or an operation about a transaction. */
  about(text: string, transactionId: number): Passage[] {
    const number = new RegExp(`"transactionId":\\s*${transactionId}\\b`)
    return this.passages.filter(({ body }) => body.includes(`"${text}"`) && number.test(body))
  }

  mend(): void {
    this.#loses = () => undefined
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const body = await buffer(request)
      const passage: Passage = { body: body.toString(), status: null }
      this.passages.push(passage)
      const loss = this.#loses(passage.body)
      const answer = loss === 'request' ? undefined : await this.#forward(request, response, body)
      const answerBody = answer && (await buffer(answer))
      if (!answer || loss === 'answer') return void response.destroy()
      passage.status = answer.statusCode ?? null
      response.writeHead(answer.statusCode ?? 502, answer.headers).end(answerBody)
    } catch {
      // One of the two programs is down.
      response.destroy()
    }
  }

  async #forward(request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<IncomingMessage> {
    const { method, url, headers } = request
    const forwarded = send({ host: '127.0.0.1', port: this.#target, method, path: url, headers, agent: false })
    response.once('close', () => forwarded.destroy())
    const [answer] = (await once(forwarded.end(body), 'response')) as [IncomingMessage]
    return answer
  }
}
