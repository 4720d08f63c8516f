import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** The owners of the test keys, which exist only for tests. */
export type KeyOwner = 'game-server' | 'platform' | 'stranger'

/** A pair of RSA keys, ready made: to make one takes longer than most tests. */
export function testKeysOf(owner: KeyOwner): { readonly privateKey: KeyObject; readonly publicKey: KeyObject } {
  const privateKey = createPrivateKey(
    readFileSync(new URL(`keys/test-only-${owner}-private-key.pem`, import.meta.url), 'utf8'),
  )
  return { privateKey, publicKey: createPublicKey(privateKey) }
}
