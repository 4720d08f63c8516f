/**
 * The platform behind the agent and its alternatives. It verifies each signature, refuses expired and replayed envelopes,
 * answers in the forms of the interface, and stores nothing else. GET /counts reports what it accepted.
 */
import { createPublicKey, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { announce } from '../machine/announce.ts'

/** What it did since it started. */
export interface PlatformCounts {
  readonly accepted: number
  readonly lastRefusal: string | null
}

const { BENCH_API_KEY: apiKey, BENCH_PUBLIC_KEY_FILE: keyFile = '' } = process.env
const key = createPublicKey(readFileSync(keyFile))
const counts = { accepted: 0, lastRefusal: null as string | null }
const usedJtis = new Set<string>()
// A set that only grows would slow down the later rows.
setInterval(() => usedJtis.clear(), 60_000)
let lastListingId = 0

announce(
  createServer(async (request, response) => {
    const body = await buffer(request)
    if (request.url === '/counts') return response.end(JSON.stringify(counts))
    // Without a signature it is not a call: the agent asks for the platform's time.
    if (!request.headers['x-platform-signature']) return response.writeHead(401).end()
    const problem = problemOf(request, body)
    if (problem) {
      counts.lastRefusal = `${request.method} ${request.url}: ${problem}`
      return response.writeHead(401).end(JSON.stringify({ message: problem }))
    }
    counts.accepted++
    const text = answerOf(request.method, body)
    const headers = { 'Content-Length': Buffer.byteLength(text), ...(text && { 'Content-Type': 'application/json' }) }
    return response.writeHead(200, headers).end(text)
  }),
)

function problemOf({ method, headers }: IncomingMessage, body: Buffer): string | undefined {
  if (method !== 'POST' && headers['x-service-api-key'] !== apiKey) return 'another API key'
  const [header = '', , signature = ''] = String(headers['x-platform-signature']).split('.')
  const signingInput = Buffer.from(`${header}.${body.toString('base64url')}`)
  if (!verify('sha256', signingInput, key, Buffer.from(signature, 'base64url'))) return 'another signature'
  const { jti, exp } = JSON.parse(Buffer.from(header, 'base64url').toString())
  if (exp < Date.now() / 1_000) return 'expired'
  if (usedJtis.has(jti)) return 'replayed'
  usedJtis.add(jti)
  return undefined
}

function answerOf(method: string | undefined, body: Buffer): string {
  if (method === 'PUT') return ''
  if (method === 'POST') return JSON.stringify({ data: listingOf(JSON.parse(body.toString())) })
  const selling = { allowed: true, blockers: [], message: null, action: null }
  const eligibility = { allowed: true, blocker: null, message: null, linked: true, banned: false, selling }
  return JSON.stringify({ data: eligibility })
}

function listingOf(input: object): object {
  const now = new Date().toISOString()
  const observation = { observedQuantity: null, observedAt: null }
  const times = { createdAt: now, updatedAt: now, withdrawnAt: null }
  return { id: ++lastListingId, ...input, quantitySold: 0, ...observation, status: 'ACTIVE', ...times }
}
