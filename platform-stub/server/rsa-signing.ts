import { generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { checkRs256 } from '../../contract/envelope/open.ts'
import { sealEnvelope } from '../../contract/envelope/seal.ts'
import { limits } from '../../contract/limits.ts'
import type { Signing } from '../marketplace/signing.ts'

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

/** Signs with RSA, as the interface asks for. */
export const rsaSigning: Signing = {
  async newPair() {
    const { privateKey, publicKey } = await newRsaPair()
    return { publicKeyPem: publicKeyPemOf(publicKey), privateKeyPem: privateKeyPemOf(privateKey) }
  },
  seal: sealEnvelope,
  check: checkRs256,
}
