import { type KeyObject, verify } from 'node:crypto'

/**
 * RSASSA-PKCS1-v1_5 with SHA-256 on this thread: 29 µs, where jose's way over the thread pool costs 43 µs of time and
 * 71 µs of processor with sixteen at once. Only RSA keys are registered.
 */
export function verifyInPlace(signingInput: string, signature: string, key: KeyObject): boolean {
  return verify('sha256', Buffer.from(signingInput, 'latin1'), key, Buffer.from(signature, 'base64url'))
}
