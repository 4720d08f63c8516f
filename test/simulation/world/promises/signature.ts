import { type ProtectedHeader, signatureHeaderName } from '../../../../contract/envelope/protected-header.ts'

/** The protected header of a signed request; undefined if it is not signed. */
export function parseSignature(headers: readonly string[]): ProtectedHeader | undefined {
  const at = headers.findIndex((name, n) => n % 2 === 0 && name.toLowerCase() === signatureHeaderName.toLowerCase())
  const [segment] = at < 0 ? [] : (headers[at + 1] ?? '').split('..')
  return segment ? (JSON.parse(Buffer.from(segment, 'base64url').toString()) as ProtectedHeader) : undefined
}
