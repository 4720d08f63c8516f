import type { KeyObject } from 'node:crypto'
import type { CheckSignature } from '../../contract/envelope/open.ts'
import type { ProtectedHeader } from '../../contract/envelope/protected-header.ts'

/** All that the agent does with keys: RSA, unless a simulation gives something cheaper. */
export interface Signing {
  /** Value of `X-Platform-Signature`: the same bytes as `sealEnvelope` of the contract. */
  seal(header: ProtectedHeader, body: Uint8Array, key: KeyObject): Promise<string>
  readonly check: CheckSignature
}
