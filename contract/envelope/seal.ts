import { type CryptoKey, FlattenedSign, type KeyObject } from 'jose'
import type { ProtectedHeader } from './protected-header.ts'

/**
 * Value of `X-Platform-Signature`: `<protected>..<signature>`, the payload left out.
 *
 * @param body The exact bytes sent, empty for GET. Serialising again afterwards breaks the signature.
 * @param key RSA private key of at least `limits.signingKeyBitsMin` bits.
 * @throws {TypeError | DOMException} The key is not a private RSA key, or is too short.
 * @see interface section 5; RFC 7515 appendix F
 */
export async function sealEnvelope(
  header: ProtectedHeader,
  body: Uint8Array,
  key: CryptoKey | KeyObject,
): Promise<string> {
  const jws = await new FlattenedSign(body).setProtectedHeader({ ...header }).sign(key)
  return `${jws.protected}..${jws.signature}`
}
