import { type KeyObject, sign } from 'node:crypto'
import { encodeProtectedHeader, type ProtectedHeader, signingInput } from '../../contract/envelope/protected-header.ts'

/**
 * Value of `X-Platform-Signature` for a request that the agent sends itself: the same bytes as `sealEnvelope` of the
 * contract. `node:crypto` signs on the thread pool, where jose costs a quarter more CPU.
 *
 * @see docs/decisions/0050
 */
export function signAttempt(header: ProtectedHeader, body: Uint8Array, privateKey: KeyObject): Promise<string> {
  const protectedSegment = encodeProtectedHeader(header)
  const input = Buffer.from(signingInput(protectedSegment, body), 'latin1')
  return new Promise((resolve, reject) => {
    sign('sha256', input, privateKey, (error, signature) => {
      if (error) reject(error)
      else resolve(`${protectedSegment}..${signature.toString('base64url')}`)
    })
  })
}
