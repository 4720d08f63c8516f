import { type KeyObject, randomUUID, sign } from 'node:crypto'
import { availableParallelism } from 'node:os'
import {
  apiKeyHeaderName,
  encodeProtectedHeader,
  signatureHeaderName,
  signingInput,
} from '../../../contract/envelope/protected-header.ts'
import { operations, type PlatformOperationName, requestOf } from '../../../contract/operations.ts'

/** `reads`: one transaction, again and again. `registrations`: listings, each a new one. */
export type StubWork = 'reads' | 'registrations'

/** The game server that all requests are of. */
export interface BenchGameServer {
  readonly kid: string
  readonly apiKey: string
  readonly signingKey: KeyObject
  readonly sellerCharacterRef: string
  /** What is read. */
  readonly transactionId: number
}

/** What is listed, but for who sells it and its itemRef. */
export const offer = {
  gameItemId: 'sword-of-dawn',
  itemName: 'Espada da Aurora',
  attributes: 'Ataque +12, durabilidade 80/100',
  quantityListed: 3,
  unitAmountCents: 4_990,
} as const

/** Longer than a slice waits for its turn, and short, so that the stub has something to forget. */
const lifetimeS = 180

/**
 * Whole requests as bytes, signed ahead of time: a signature costs ten times what it costs to verify it, so a generator
 * that signs while it measures would measure itself.
 */
export async function readyRequests(work: StubWork, count: number, server: BenchGameServer): Promise<Buffer[]> {
  const requests: Buffer[] = []
  const signUntilEnough = async (): Promise<void> => {
    while (requests.length < count) {
      const at = requests.push(Buffer.alloc(0)) - 1
      const { name, input } = callOf(work, server)
      requests[at] = await readyRequest(name, input, server)
    }
  }
  await Promise.all(Array.from({ length: 2 * availableParallelism() }, signUntilEnough))
  return requests
}

/** One request of any operation. */
export async function readyRequest(
  name: PlatformOperationName,
  input: Readonly<Record<string, unknown>>,
  server: BenchGameServer,
): Promise<Buffer> {
  const operation = operations[name]
  const { method, path, body } = requestOf(operation, input)
  const headers = [
    `${method} ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    `${signatureHeaderName}: ${await sealed(Buffer.from(body), server)}`,
    ...(operation.auth === 'service' ? [`${apiKeyHeaderName}: ${server.apiKey}`] : []),
    ...(body ? ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`] : []),
  ]
  return Buffer.from([...headers, '', body].join('\r\n'))
}

function callOf(work: StubWork, { sellerCharacterRef, transactionId }: BenchGameServer) {
  return work === 'reads'
    ? ({ name: 'transaction.get', input: { transactionId } } as const)
    : ({ name: 'market.register', input: { ...offer, sellerCharacterRef, itemRef: randomUUID() } } as const)
}

function sealed(body: Buffer, { kid, signingKey }: BenchGameServer): Promise<string> {
  const iat = Math.floor(Date.now() / 1_000)
  const protectedSegment = encodeProtectedHeader({ alg: 'RS256', kid, jti: randomUUID(), iat, exp: iat + lifetimeS })
  return new Promise((resolve, reject) => {
    sign('sha256', Buffer.from(signingInput(protectedSegment, body)), signingKey, (error, signature) =>
      error ? reject(error) : resolve(`${protectedSegment}..${signature.toString('base64url')}`),
    )
  })
}
