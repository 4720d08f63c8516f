import { createPrivateKey, type KeyObject, randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { sealEnvelope } from '../../contract/envelope/seal.ts'
import { operations, type PlatformOperationName, requestOf } from '../../contract/operations.ts'

/** What an integrator may get wrong, on purpose. */
export interface Slip {
  /** How far the sender's clock is off, in seconds. */
  readonly clockOffS?: number
  /** Sent in place of the body that was signed. */
  readonly sentBody?: string
  readonly kid?: string
  readonly jti?: string
  readonly apiKey?: string
}

interface Registered {
  readonly gameServerId: number
  readonly apiKey: string
  readonly kid: string
  readonly privateKeyPem: string
}

/** A game server at a running stub, which signs its own calls and answers webhooks as the caller says. */
export class SampleGame implements AsyncDisposable {
  readonly id: number
  readonly webhookUrl: string
  readonly #stubUrl: string
  readonly #registered: Registered
  readonly #key: KeyObject
  readonly #receiver: Server
  /** What is left in the game, by itemRef: its answer to an order. */
  readonly stock = new Map<string, number>()
  /** What it answers while something is wrong with it. */
  trouble: { readonly status: number; readonly body: string } | null = null

  private constructor(stubUrl: string, webhookUrl: string, registered: Registered, receiver: Server) {
    this.webhookUrl = webhookUrl
    this.id = registered.gameServerId
    this.#stubUrl = stubUrl
    this.#registered = registered
    this.#key = createPrivateKey(registered.privateKeyPem)
    this.#receiver = receiver
  }

  /** Registers a game server and starts its webhook receiver. */
  static async start(stubUrl: string, name: string): Promise<SampleGame> {
    let game: SampleGame | undefined
    const receiver = createServer(async (request, response) => {
      const { itemRef } = (await json(request)) as { itemRef: string }
      const { status, body } = game?.trouble ?? {
        status: 200,
        body: `{"observedQuantity":${game?.stock.get(itemRef) ?? 0}}`,
      }
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(body)
    })
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    const { port } = receiver.address() as AddressInfo
    const webhookUrl = `http://127.0.0.1:${port}/webhook`
    const registered = await control<Registered>(stubUrl, 'POST', '/stub/game-servers', {
      name,
      webhookUrl,
    })
    game = new SampleGame(stubUrl, webhookUrl, registered, receiver)
    return game
  }

  /** What the player's account and the staff say about a character. */
  character(characterRef: string, standing: Readonly<Record<string, boolean>>): Promise<unknown> {
    return this.control('PUT', `/stub/game-servers/${this.id}/characters/${characterRef}`, standing)
  }

  control<Data = unknown>(method: string, path: string, body?: unknown): Promise<Data> {
    return control<Data>(this.#stubUrl, method, path, body)
  }

  async advance(seconds: number): Promise<void> {
    await this.control('PUT', '/stub/clock', { advanceSeconds: seconds })
  }

  /** Calls the platform and gives its `data`, or nothing for a refusal. */
  async call(
    name: PlatformOperationName,
    input: Readonly<Record<string, unknown>>,
    slip: Slip = {},
  ): Promise<Readonly<Record<string, unknown>>> {
    const { apiKey, kid } = this.#registered
    const { method, path, body } = requestOf(operations[name], input)
    const { now } = await this.control<{ now: string }>('GET', '/stub/clock')
    const iat = Math.floor(Date.parse(now) / 1_000) + (slip.clockOffS ?? 0)
    const signature = await sealEnvelope(
      {
        alg: 'RS256',
        kid: slip.kid ?? kid,
        jti: slip.jti ?? randomUUID(),
        iat,
        exp: iat + 30,
        htm: method,
        htu: this.#stubUrl + path,
      },
      Buffer.from(body),
      this.#key,
    )
    const response = await fetch(this.#stubUrl + path, {
      method,
      headers: {
        'X-Platform-Signature': signature,
        ...(operations[name].auth === 'service' && { 'X-Service-Api-Key': slip.apiKey ?? apiKey }),
        ...(body && { 'Content-Type': 'application/json' }),
      },
      ...(body && { body: slip.sentBody ?? body }),
    })
    const text = await response.text()
    return text.startsWith('{') ? ((JSON.parse(text) as { data?: Record<string, unknown> }).data ?? {}) : {}
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#receiver.closeAllConnections()
    await new Promise((resolve) => this.#receiver.close(resolve))
  }
}

async function control<Data>(stubUrl: string, method: string, path: string, body?: unknown): Promise<Data> {
  const response = await fetch(stubUrl + path, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return (text.startsWith('{') ? (JSON.parse(text) as { data: unknown }).data : undefined) as Data
}
