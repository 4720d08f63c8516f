import { type KeyObject, randomUUID } from 'node:crypto'
import { sealEnvelope } from '../../../contract/envelope/seal.ts'
import { httpRequest } from './bare-connection.ts'

/** Who signs. */
export interface Signer {
  readonly kid: string
  readonly signingKey: KeyObject
}

/** Longer than a slice waits for its turn, and short, so that the receiver has something to forget. */
const lifetimeS = 180

/** The bytes of a request with its envelope. */
export async function signedRequest(
  { kid, signingKey }: Signer,
  [method, path]: readonly [method: string, path: string],
  input?: object,
  headers?: Record<string, string>,
): Promise<Buffer> {
  const body = input ? JSON.stringify(input) : ''
  const iat = Math.floor(Date.now() / 1_000)
  const header = { alg: 'RS256', kid, jti: randomUUID(), iat, exp: iat + lifetimeS } as const
  const signature = await sealEnvelope(header, Buffer.from(body), signingKey)
  return httpRequest(method, path, { 'X-Platform-Signature': signature, ...headers }, body)
}
