import { sign } from 'node:crypto'
import { checkRs256 } from '../../contract/envelope/open.ts'
import { encodeProtectedHeader, signingInput } from '../../contract/envelope/protected-header.ts'
import type { Signing } from './signing.ts'

/**
 * Signs with `node:crypto` on the thread pool, where jose costs a quarter more CPU. jose checks.
 *
 * @see docs/decisions/0050
 */
export const rsaSigning: Signing = {
  seal(header, body, key) {
    const protectedSegment = encodeProtectedHeader(header)
    const input = Buffer.from(signingInput(protectedSegment, body), 'latin1')
    return new Promise((resolve, reject) => {
      sign('sha256', input, key, (error, signature) => {
        if (error) reject(error)
        else resolve(`${protectedSegment}..${signature.toString('base64url')}`)
      })
    })
  },
  check: checkRs256,
}
