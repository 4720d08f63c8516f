import type { KeyObject } from 'node:crypto'
import type { CheckSignature } from '../../contract/envelope/open.ts'
import type { ProtectedHeader } from '../../contract/envelope/protected-header.ts'

/** Both halves of a key as PEM. */
export interface PemPair {
  readonly publicKeyPem: string
  readonly privateKeyPem: string
}

/** All that the platform does with the keys of signatures: RSA, unless a simulation gives something cheaper. */
export interface Signing {
  newPair(): Promise<PemPair>
  /** Value of `X-Platform-Signature`, as `sealEnvelope` makes it. */
  seal(header: ProtectedHeader, body: Uint8Array, key: KeyObject): Promise<string>
  readonly check: CheckSignature
}
