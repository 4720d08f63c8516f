/**
 * The platform behind every row of the benchmark: opens each envelope in the contract's strict way, refuses replays,
 * answers in the contract's shapes, keeps no other state. GET /counts says what it let through.
 */
import { createPublicKey, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { openEnvelopeInPlace } from '../../contract/envelope/open.ts'
import { apiKeyHeaderName, signatureHeaderName } from '../../contract/envelope/protected-header.ts'
import type { Listing } from '../../contract/listing.ts'
import { verifyInPlace } from '../../platform-stub/partner-api/authenticate.ts'
import { type PlainRequest, plainHttpServer } from './plain-http-server.ts'

/** What it did since it started. */
export interface PlatformCounts {
  readonly accepted: number
  readonly refused: number
  /** Why it refused last. */
  readonly lastRefusal: string | null
}

interface Route {
  readonly matches: (method: string, path: string) => boolean
  readonly withApiKey: boolean
  readonly answer: (body: Buffer) => string
}

const listingsPath = '/v1/api/market/listings'
const eligibilityPath = '/v1/api/market/eligibility/'

const routes: readonly Route[] = [
  {
    matches: (method, path) => method === 'PUT' && path === listingsPath,
    withApiKey: true,
    answer: () => '',
  },
  {
    matches: (method, path) => method === 'GET' && path.startsWith(eligibilityPath),
    withApiKey: true,
    answer: () =>
      JSON.stringify({
        data: {
          allowed: true,
          blocker: null,
          message: null,
          linked: true,
          banned: false,
          selling: { allowed: true, blockers: [], message: null, action: null },
        },
      }),
  },
  {
    matches: (method, path) => method === 'POST' && path === listingsPath,
    withApiKey: false,
    answer: (body) => JSON.stringify({ data: registered(JSON.parse(body.toString('utf8'))) }),
  },
]

let lastListingId = 0

function registered(input: Pick<Listing, 'itemRef' | 'gameItemId' | 'itemName' | 'attributes'>): Listing {
  const now = new Date().toISOString()
  return {
    id: ++lastListingId,
    unitAmountCents: 0,
    quantityListed: 0,
    ...input,
    quantitySold: 0,
    observedQuantity: null,
    observedAt: null,
    status: 'ACTIVE',
    createdAt: now,
    updatedAt: now,
    withdrawnAt: null,
  }
}

/** Remembers each jti until its `exp`, and no longer: a map that only grows would slow down the later rows. */
class Replays {
  readonly #expByJti = new Map<string, number>()

  /** False for a jti that was here before. */
  record(jti: string, exp: number): boolean {
    if (this.#expByJti.has(jti)) return false
    this.#expByJti.set(jti, exp)
    return true
  }

  forgetExpired(nowS: number): void {
    for (const [jti, exp] of this.#expByJti) {
      if (exp > nowS) return // oldest first, and all envelopes of one sender live equally long
      this.#expByJti.delete(jti)
    }
  }
}

if (import.meta.main) {
  const { BENCH_API_KEY: apiKey, BENCH_KID: kid = '', BENCH_PUBLIC_KEY_FILE: keyFile = '' } = process.env
  const keys: ReadonlyMap<string, KeyObject> = new Map([[kid, createPublicKey(readFileSync(keyFile))]])
  const replays = new Replays()
  const counts = { accepted: 0, refused: 0, lastRefusal: null as string | null } satisfies PlatformCounts

  const server = plainHttpServer(async (request) => {
    const { method, body } = request
    const path = request.path.split('?', 1)[0] ?? ''
    if (path === '/counts') return { status: 200, text: JSON.stringify(counts) }
    const route = routes.find(({ matches }) => matches(method, path))
    if (!route) return { status: 404, text: refusal('Rota desconhecida.') }

    const fault = await faultOf(request, route, path)
    if (fault) {
      counts.refused++
      counts.lastRefusal = `${method} ${path}: ${fault}`
      return { status: 401, text: refusal(fault) }
    }
    counts.accepted++
    return { status: 200, text: route.answer(body) }
  })
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo
    console.log(JSON.stringify({ msg: 'listening', url: `http://127.0.0.1:${port}` }))
  })
  setInterval(() => replays.forgetExpired(Date.now() / 1_000), 1_000)

  async function faultOf(
    { method, header, body }: PlainRequest,
    route: Route,
    path: string,
  ): Promise<string | undefined> {
    if (route.withApiKey && header(apiKeyHeaderName.toLowerCase())[0] !== apiKey) return 'another API key'
    const opening = openEnvelopeInPlace(
      { headerLines: header(signatureHeaderName.toLowerCase()), body },
      { keys, nowS: Date.now() / 1_000, leewayS: 0, request: { method, path } },
      verifyInPlace,
    )
    if (!opening.ok) return `${opening.step}: ${opening.expected} expected, ${opening.received} received`
    return replays.record(opening.jti ?? '', opening.exp) ? undefined : `replay of ${opening.jti}`
  }
}

function refusal(message: string): string {
  return JSON.stringify({ message })
}
