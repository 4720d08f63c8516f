import { type ProtectedHeader, signatureHeaderName } from '../../../../contract/envelope/protected-header.ts'

/** The signature of a request: `<protected>..<signature>`; undefined if it is not signed. */
export function signatureOf(headers: readonly string[]): string | undefined {
  const at = headers.findIndex((name, n) => n % 2 === 0 && name.toLowerCase() === signatureHeaderName.toLowerCase())
  return at < 0 ? undefined : headers[at + 1]
}

/** The protected header of a signed request; undefined if it is not signed. */
export function parseSignature(headers: readonly string[]): ProtectedHeader | undefined {
  const [segment] = signatureOf(headers)?.split('..') ?? []
  return segment ? (JSON.parse(Buffer.from(segment, 'base64url').toString()) as ProtectedHeader) : undefined
}
