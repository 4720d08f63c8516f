import { type KeyObject, verify } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request that carried a valid envelope. */
export interface PlatformRequest {
  readonly method: string
  readonly path: string
  readonly body: string
  readonly jti: string
}

export interface PlatformReply {
  readonly status: number
  readonly body?: string
}

/**
 * A platform that holds every envelope to its signature and its jti, and counts what it did by the content of the
 * request: doing the same thing twice shows, whatever the envelope.
 */
export class FakePlatform implements AsyncDisposable {
  /** In the order of their arrival. */
  readonly requests: PlatformRequest[] = []
  /** How often each thing was done, by method, path and body. */
  readonly acted = new Map<string, number>()
  /** The last observation of each listing. */
  readonly stock = new Map<string, number>()
  /** What was wrong with envelopes. */
  readonly faults: string[] = []
  /** What is answered to a valid request. An answer that is no success leaves everything as it is. */
  reply: (request: PlatformRequest) => PlatformReply | Promise<PlatformReply> = goodReply
  readonly #publicKey: KeyObject
  readonly #jtis = new Set<string>()
  #server: Server | undefined
  #port = 0
  #waiting: { count: number; resolve: () => void }[] = []

  constructor(publicKey: KeyObject) {
    this.#publicKey = publicKey
  }

  static async start(publicKey: KeyObject): Promise<FakePlatform> {
    const platform = new FakePlatform(publicKey)
    await platform.listen()
    return platform
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** How often a thing was done. */
  actedOn(method: string, path: string, body: unknown): number {
    return this.acted.get(contentOf({ method, path, body: JSON.stringify(body) })) ?? 0
  }

  /** Listens on the port that it had before, if any. */
  async listen(): Promise<void> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('error', () => undefined)
      request.on('end', async () => {
        const { status, body } = await this.#answer(request, Buffer.concat(chunks))
        response.writeHead(status, { 'content-length': Buffer.byteLength(body ?? '') }).end(body)
      })
    })
    server.keepAliveTimeout = 60_000
    this.#server = server
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve))
    this.#port = (server.address() as AddressInfo).port
  }

  /** Refuses connections from now on, and drops those that are open. */
  async stop(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    if (!server) return
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  /** Resolves when that many valid requests have arrived in all. */
  async arrived(count: number): Promise<void> {
    if (this.requests.length >= count) return
    await new Promise<void>((resolve) => this.#waiting.push({ count, resolve }))
  }

  async #answer(incoming: IncomingMessage, body: Buffer): Promise<PlatformReply> {
    const fault = (why: string): PlatformReply => {
      this.faults.push(`${incoming.method} ${incoming.url}: ${why}`)
      return { status: 401, body: JSON.stringify({ message: `Assinatura recusada: ${why}` }) }
    }
    const [protectedSegment = '', payload, signature = ''] = String(incoming.headers['x-platform-signature']).split('.')
    const input = Buffer.from(`${protectedSegment}.${body.toString('base64url')}`)
    if (payload !== '' || !verify('sha256', input, this.#publicKey, Buffer.from(signature, 'base64url'))) {
      return fault('signature')
    }
    const { jti, exp } = JSON.parse(Buffer.from(protectedSegment, 'base64url').toString()) as {
      jti: string
      exp: number
    }
    if (this.#jtis.has(jti)) return fault(`replayed jti ${jti}`)
    this.#jtis.add(jti)
    if (!(exp > 0)) return fault('exp')
    const request = { method: incoming.method ?? '', path: incoming.url ?? '', body: body.toString('utf8'), jti }
    this.requests.push(request)
    this.#waiting = this.#waiting.filter(({ count, resolve }) => this.requests.length < count || void resolve())
    const answering = this.reply(request)
    // Without an await where there is nothing to wait for: what has arrived whole is done, whoever dies then.
    const reply = answering instanceof Promise ? await answering : answering
    if (reply.status === 200) this.#act(request)
    return reply
  }

  #act(request: PlatformRequest): void {
    if (request.method === 'GET') return
    const content = contentOf(request)
    this.acted.set(content, (this.acted.get(content) ?? 0) + 1)
    const { itemRef, observedQuantity } = JSON.parse(request.body || '{}') as Record<string, unknown>
    if (request.method === 'PUT' && typeof observedQuantity === 'number') {
      this.stock.set(String(itemRef), observedQuantity)
    }
  }
}

function contentOf({ method, path, body }: { method: string; path: string; body: string }): string {
  return `${method} ${path} ${body}`
}

const at = '2026-11-21T12:00:00.000Z'
const data = (value: unknown): PlatformReply => ({ status: 200, body: JSON.stringify({ data: value }) })

/** An answer that the contract accepts. It depends on the request alone. */
export function goodReply({ method, path, body }: PlatformRequest): PlatformReply {
  const fields = JSON.parse(body || '{}') as Record<string, unknown>
  if (method === 'PUT') return { status: 200 }
  if (path === '/v1/api/character-links') return data({ linkId: 'l-1', url: 'https://portal.example/l', expiresAt: at })
  if (path === '/v1/api/market/listings') {
    const rest = { quantitySold: 0, observedQuantity: null, observedAt: null, status: 'ACTIVE' }
    return data({ id: 7, ...fields, ...rest, createdAt: at, updatedAt: at, withdrawnAt: null })
  }
  if (path === '/v1/api/transactions') return data({ transactionId: 42, checkoutUrl: 'https://portal.example/c/42' })
  if (path.startsWith('/v1/api/market/eligibility/')) {
    const selling = { allowed: true, blockers: [], message: 'ok', action: null }
    return data({ allowed: true, blocker: null, message: 'ok', linked: true, banned: false, selling })
  }
  const transactionId = Number(/\/transactions\/(\d+)/.exec(path)?.[1])
  if (path.endsWith('/delivery')) {
    return data({ transactionId, paymentStatus: 'PAGO', deliveryStatus: 'ENTREGUE', deliveredAt: at })
  }
  const waiting = { transactionId, paymentStatus: 'PAGO', deliveryStatus: 'AGUARDANDO_SERVIDOR' }
  if (path.endsWith('/delivery-failure')) return data({ ...waiting, refundStarted: false, retryAt: at })
  return data(waiting)
}
