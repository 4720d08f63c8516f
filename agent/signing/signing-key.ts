import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { limits } from '../../contract/limits.ts'
import { say } from '../language/say.ts'

/** The key that signs the agent's requests. */
export interface SigningKey {
  readonly kid: string
  readonly privateKey: KeyObject
  /** SHA-256 of the public key (SPKI), base64url. It names the key in logs without showing it. */
  readonly fingerprint: string
}

/** A key file has no usable key. The message says why, and never repeats any text of the file. */
export class KeyFileError extends Error {
  override readonly name = 'KeyFileError'
}

/**
 * Reads an RSA private key (PKCS#8 or PKCS#1 PEM).
 *
 * @throws {KeyFileError} It is not an RSA key, it is encrypted, or it has fewer than `limits.signingKeyBitsMin` bits.
 */
export function readSigningKey(pem: string, kid: string): SigningKey {
  if (/-----BEGIN ENCRYPTED|^Proc-Type: 4,ENCRYPTED/m.test(pem))
    throw new KeyFileError(say`this key is encrypted; decrypt it with: openssl pkey -in ENCRYPTED -out signing-key.pem`)
  if (/-----BEGIN (?:RSA )?PUBLIC KEY-----/.test(pem) && !pem.includes('PRIVATE KEY'))
    throw new KeyFileError(say`this is a public key; the private key that belongs to it is needed`)
  const privateKey = keyFrom(() => createPrivateKey(pem), say`RSA private key in PEM (PKCS#8 or PKCS#1)`)
  refuseWeak(privateKey)
  return { kid, privateKey, fingerprint: fingerprintOf(createPublicKey(privateKey)) }
}

/** SHA-256 of a public key (SPKI), base64url: the one form of a fingerprint. */
export function fingerprintOf(publicKey: KeyObject): string {
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64url')
}

/**
 * Reads one of the platform's RSA public keys (SPKI or PKCS#1 PEM).
 *
 * @throws {KeyFileError} It is not an RSA key, or it has fewer than `limits.signingKeyBitsMin` bits.
 */
export function readPlatformKey(pem: string): KeyObject {
  if (pem.includes('PRIVATE KEY'))
    throw new KeyFileError(say`this is a private key; the public key of the platform is needed`)
  const publicKey = keyFrom(() => createPublicKey(pem), say`RSA public key in PEM`)
  refuseWeak(publicKey)
  return publicKey
}

function keyFrom(read: () => KeyObject, wanted: string): KeyObject {
  try {
    return read()
  } catch {
    // The reader's own message can quote the text: it goes nowhere.
    throw new KeyFileError(say`no ${wanted}, or a damaged one; copy the whole file again`)
  }
}

function refuseWeak(key: KeyObject): void {
  if (key.asymmetricKeyType !== 'rsa') throw new KeyFileError(say`a key of type ${key.asymmetricKeyType}, not RSA`)
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0
  if (bits < limits.signingKeyBitsMin)
    throw new KeyFileError(say`an RSA key of ${bits} bits; at least ${limits.signingKeyBitsMin} are wanted`)
}
