import { constants, createHmac, createPublicKey, sign } from 'node:crypto'
import { publicKeyPemOf } from '../../server/rsa-signing.ts'
import type { ProbeKey } from './key.ts'

/** RSASSA-PKCS1-v1_5 with SHA-256, the only correct algorithm. */
export function signRs256(input: string, { privateKey }: ProbeKey): Buffer {
  return sign('sha256', Buffer.from(input), privateKey)
}

/** The same with SHA-512. */
export function signRs512(input: string, { privateKey }: ProbeKey): Buffer {
  return sign('sha512', Buffer.from(input), privateKey)
}

/** RSASSA-PSS, by the same key. */
export function signPs256(input: string, { privateKey }: ProbeKey): Buffer {
  const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
  return sign('sha256', Buffer.from(input), { key: privateKey, ...padding })
}

/** An HMAC with the public key as its secret. */
export function signHs256ByPublicKey(input: string, { privateKey }: ProbeKey): Buffer {
  return createHmac('sha256', publicKeyPemOf(createPublicKey(privateKey)))
    .update(input)
    .digest()
}

/** RS256 with a key that the receiver does not know. */
export function signByStranger(input: string, { strangerKey }: ProbeKey): Buffer {
  return sign('sha256', Buffer.from(input), strangerKey)
}
