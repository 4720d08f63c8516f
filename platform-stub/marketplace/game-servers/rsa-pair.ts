import { generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { limits } from '../../../contract/limits.ts'

const generate = promisify(generateKeyPair)

/** Both halves of a key. */
export interface RsaPair {
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

/** A new RSA pair of the length that the interface asks for at least. */
export function newRsaPair(): Promise<RsaPair> {
  return generate('rsa', { modulusLength: limits.signingKeyBitsMin })
}

/** A private key as PKCS#8 in PEM. */
export function privateKeyPemOf(privateKey: KeyObject): string {
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}

/** A public key as SPKI in PEM, as the platform gives it out. */
export function publicKeyPemOf(publicKey: KeyObject): string {
  return publicKey.export({ type: 'spki', format: 'pem' }).toString()
}
