import { type ProtectedHeader, signatureHeaderName } from '../../../../contract/envelope/protected-header.ts'
import { sumOf } from '../../agent/model-outside.ts'
import { headerIn } from '../../network/message.ts'
import type { PlatformKey } from '../agent-program.ts'
import type { ReceivedWebhook } from '../witnessed.ts'

/** The signature of a request: `<protected>..<signature>`; undefined if it is not signed. */
export function signatureOf(headers: readonly string[]): string | undefined {
  return headerIn(headers, signatureHeaderName)
}

/** The protected header of a signed request; undefined if it is not signed. */
export function parseSignature(headers: readonly string[]): ProtectedHeader | undefined {
  const [segment] = signatureOf(headers)?.split('..') ?? []
  return segment ? (JSON.parse(Buffer.from(segment, 'base64url').toString()) as ProtectedHeader) : undefined
}

/** What the signature of a webhook says. */
export interface ReadWebhook {
  readonly isSigned: boolean
  /** Unix ms. */
  readonly expiresMs: number
}

/** Whether a webhook is signed by the key of the platform that was in use when it arrived, and until when it is valid. */
export function readWebhook({ rawHeaders, body, arrivedMs }: ReceivedWebhook, key: PlatformKey): ReadWebhook {
  const header = parseSignature(rawHeaders)
  const [segment = '', sum] = (signatureOf(rawHeaders) ?? '').split('..')
  // A webhook keeps the keys that it began with.
  const isKnown = header?.kid === key.kid || (arrivedMs < key.sinceMs && header?.kid === key.before)
  const isSigned = isKnown && sum === sumOf(`${segment}.${Buffer.from(body).toString('base64url')}`)
  return { isSigned, expiresMs: (header?.exp ?? 0) * 1_000 }
}
