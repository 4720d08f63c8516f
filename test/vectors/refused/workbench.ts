import { constants, createPrivateKey, createPublicKey, type KeyObject, privateEncrypt, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { EnvelopeStep } from '../../../contract/envelope/open.ts'

/** One envelope that every verifier must refuse. README.md next to `refused.json` says what each field means. */
export interface RefusedEnvelope {
  readonly name: string
  readonly why: string
  readonly step: EnvelopeStep
  readonly direction: 'request' | 'webhook'
  readonly method?: string
  readonly path?: string
  readonly headerLines: readonly string[]
  readonly bodyBase64: string
  readonly nowS: number
}

/** What a mutant is made of; whatever is left out is as in an envelope that passes. */
export interface Mutant {
  readonly name: string
  readonly why: string
  readonly step: EnvelopeStep
  readonly direction?: 'request' | 'webhook'
  readonly method?: string
  readonly path?: string
  readonly lines: readonly string[]
  /** The bytes that arrive. */
  readonly body?: string | Uint8Array
  readonly nowS?: number
}

/** 2026-01-01T00:00:00Z. */
export const nowS = 1_767_225_600
export const gameServerKid = 'test-game-server-1'
export const platformKid = 'test-platform-1'
export const path = '/v1/api/market/listings'
export const url = `https://platform.example${path}`
export const body = '{"itemRef":"espada-élfica-★-剣","observedQuantity":7,"action":"ADJUST_STOCK"}'

const keyFile = (owner: string, half: string) =>
  readFileSync(new URL(`../keys/test-only-${owner}-${half}-key.pem`, import.meta.url), 'utf8')
export const gameServerKey = createPrivateKey(keyFile('game-server', 'private'))
export const platformKey = createPrivateKey(keyFile('platform', 'private'))
/** A key that no verifier knows. */
export const strangerKey = createPrivateKey(keyFile('stranger', 'private'))
export const gameServerPublicPem = keyFile('game-server', 'public')
export const platformPublicPem = keyFile('platform', 'public')

export const gameServerJwk = createPublicKey(gameServerKey).export({ format: 'jwk' })
export const strangerJwk = createPublicKey(strangerKey).export({ format: 'jwk' })

/** The parameters of a partner header that passes. */
export const partner = {
  alg: 'RS256',
  kid: gameServerKid,
  jti: '018f4e2a-1000-7000-8000-000000000001',
  iat: nowS,
  exp: nowS + 30,
  htm: 'PUT',
  htu: url,
} as const
/** The parameters of a webhook's header that passes. */
export const event = {
  alg: 'RS256',
  kid: platformKid,
  jti: '018f4e2a-1000-7000-8000-000000000002',
  iat: nowS,
  exp: nowS + 300,
} as const

/** The text of the passing partner header with some parameters changed; `undefined` leaves one out. */
export function header(changes: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ ...partner, ...changes })
}

/** The text of the passing partner header with one member's text replaced, for what `JSON.stringify` cannot say. */
export function headerWith(name: keyof typeof partner, member: string): string {
  const whole = `${JSON.stringify(name)}:${JSON.stringify(partner[name])}`
  return header().replace(whole, () => member)
}

/** The text of the passing partner header with more members behind it. */
export function headerAnd(members: string): string {
  return header().replace(/\}$/, () => `,${members}}`)
}

export function base64url(bytes: string | Uint8Array): string {
  return Buffer.from(bytes).toString('base64url')
}

export interface Signing {
  readonly body?: string | Uint8Array
  readonly key?: KeyObject
  /** Makes the signature of the signing input; RS256 when left out. */
  readonly by?: (signingInput: Buffer) => Uint8Array
  /** Bytes signed in place of `<protected>.<payload>`. */
  readonly over?: (protectedSegment: string) => string | Uint8Array
}

/** A line that is whole and truly signed over whatever header it is given. */
export function line(headerText: string | Uint8Array, signing: Signing = {}): string {
  const segment = base64url(headerText)
  return `${segment}..${signature(segment, signing)}`
}

/** The signature's segment over an encoded header. */
function signature(protectedSegment: string, signing: Signing = {}): string {
  const over = signing.over?.(protectedSegment) ?? `${protectedSegment}.${base64url(signing.body ?? body)}`
  const bytes = Buffer.from(over)
  return base64url(signing.by?.(bytes) ?? sign('sha256', bytes, signing.key ?? gameServerKey))
}

/** A signature block that we pad ourselves, raised to the private exponent. 256 bytes. */
export function rawSignature(block: Uint8Array, key: KeyObject = gameServerKey): Buffer {
  return privateEncrypt({ key, padding: constants.RSA_NO_PADDING }, block)
}

/** `line` cut in two: the header's segment and the signature's. */
export function halves(whole: string): [protectedSegment: string, signature: string] {
  const at = whole.indexOf('..')
  return [whole.slice(0, at), whole.slice(at + 2)]
}

/** The first header, by jti, whose line is as wanted: deterministic, since the jtis are counted. */
export function searched(wanted: (candidate: string) => boolean, signing: Signing = {}): string {
  for (let n = 0; ; n++) {
    const candidate = line(header({ jti: `searched-${n}` }), signing)
    if (wanted(candidate)) return candidate
  }
}
