/**
 * The protected header of a detached JWS. Times are Unix seconds. `htm` and `htu` carry RFC 9449's meaning: the
 * request's method, and its URL without query. Webhooks have neither.
 *
 * @see interface section 5; RFC 7515 section 4
 */
export interface ProtectedHeader {
  readonly alg: 'RS256'
  readonly kid: string
  readonly jti: string
  readonly iat: number
  readonly exp: number
  readonly htm?: string
  readonly htu?: string
}

/** The header's base64url segment, with the names in the order of the object. */
export function encodeProtectedHeader(header: ProtectedHeader): string {
  return Buffer.from(JSON.stringify(header), 'utf8').toString('base64url')
}

/**
 * What is signed: both segments base64url, the payload too although it is left out of the header (this is not RFC 7797).
 *
 * @param body The exact bytes sent; empty for GET.
 */
export function signingInput(protectedSegment: string, body: Uint8Array): string {
  return `${protectedSegment}.${base64url(body)}`
}

/** RFC 4648 section 5, without padding. */
export function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64url')
}

/** Name of the header that carries `<protected>..<signature>`. */
export const signatureHeaderName = 'X-Platform-Signature'
/** Name of the header that carries the API key on `service` routes. */
export const apiKeyHeaderName = 'X-Service-Api-Key'
