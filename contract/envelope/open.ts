import { constants, type KeyObject, publicDecrypt } from 'node:crypto'
import { flattenedVerify } from 'jose'
import { limits } from '../limits.ts'
import { decodeUtf8, readStrictJson } from '../strict-json.ts'
import { base64url } from './protected-header.ts'

/** The checks of an envelope, in their order. The first that fails gives its name to the refusal. */
export const envelopeSteps = [
  'header-line',
  'segments',
  'encoding',
  'json',
  'forbidden-parameter',
  'algorithm',
  'kid',
  'expiry',
  'jti',
  'method',
  'url',
  'signature',
] as const
export type EnvelopeStep = (typeof envelopeSteps)[number]

/** What arrived, not checked yet. */
export interface ReceivedEnvelope {
  /** The value of every `X-Platform-Signature` line, so that a second one is seen. */
  readonly headerLines: readonly string[]
  /** The received bytes, before any parsing. */
  readonly body: Uint8Array
}

/** What an envelope is checked against. */
export interface EnvelopeRules {
  /** Verifying keys by kid. */
  readonly keys: ReadonlyMap<string, KeyObject>
  /** Unix time in seconds. */
  readonly nowS: number
  /** How long past its `exp` an envelope still opens. */
  readonly leewayS: number
  /**
   * A partner request names its jti and may name its method and URL; of a webhook (null) only alg, kid and exp are asked.
   * `path` is the request target's, as it was written, without query.
   */
  readonly request: { readonly method: string; readonly path: string } | null
}

export type EnvelopeOpening =
  | {
      readonly ok: true
      readonly kid: string
      /** Present in every partner request. */
      readonly jti: string | undefined
      /** Unix time in seconds. */
      readonly exp: number
    }
  | EnvelopeError

/** A detached JWS with its payload, in base64url. */
interface SignedParts {
  readonly protected: string
  readonly payload: string
  readonly signature: string
}

/** Checks what a signature was made with: the key, and over these bytes; the key, over others; another key. */
export type CheckSignature = (signed: SignedParts, key: KeyObject) => Promise<'valid' | 'other-bytes' | 'other-key'>

/** Why an envelope does not open. */
export interface EnvelopeError {
  readonly ok: false
  readonly step: EnvelopeStep
  /** What would have passed, for the journal that explains refusals. Never a secret. */
  readonly expected: string
  readonly received: string
  /** From the step after `kid` on: whose envelope it claims to be. */
  readonly kid?: string
  /**
   * At the step `signature`: another key made it, or this key made it over other bytes. A signature that was damaged on
   * the way looks like another key's.
   */
  readonly cause?: 'other-key' | 'other-bytes'
}

const forbiddenParameters = ['crit', 'b64', 'jwk', 'jku', 'x5u', 'x5c', 'x5t', 'x5t#S256', 'zip']

/**
 * Opens a detached JWS in the one strict way: exactly one spelling of an envelope passes. jose verifies the signature.
 * Everything that jose forgives is refused before: names given twice, padding, white space, unencoded payloads and
 * embedded keys.
 *
 * Recording the jti is the caller's next step, by (kid, jti): a repeated envelope opens here every time.
 *
 * @see interface section 5; RFC 7515 section 5.2
 */
export async function openEnvelope(
  received: ReceivedEnvelope,
  rules: EnvelopeRules,
  check: CheckSignature = checkRs256,
): Promise<EnvelopeOpening> {
  const head = judgeEnvelopeHead(received.headerLines, rules)
  if ('step' in head) return head
  const { split, kid, key, ...claims } = head
  const { protectedSegment, signature } = split
  const found = await check({ protected: protectedSegment, payload: base64url(received.body), signature }, key)
  return found === 'valid' ? { ok: true, kid, ...claims } : refuseSignature(found, kid, received.body)
}

/** Everything of an envelope that can be checked before its body is there: all but its signature. */
export function judgeEnvelopeHead(
  headerLines: readonly string[],
  rules: EnvelopeRules,
): EnvelopeError | { split: Split; kid: string; key: KeyObject; exp: number; jti: string | undefined } {
  const split = splitLine(headerLines)
  if ('step' in split) return split
  const header = readHeader(split.protectedSegment)
  if ('step' in header) return header
  const signer = findSigner(header.parameters, rules)
  if ('step' in signer) return signer
  const claims = checkClaims(header.parameters, rules)
  if ('step' in claims) return { ...claims, kid: signer.kid }
  return { split, ...signer, ...claims }
}

type Parameters = Readonly<Record<string, unknown>>

interface Split {
  readonly protectedSegment: string
  readonly signature: string
}

function splitLine(headerLines: readonly string[]): Split | EnvelopeError {
  const [line, ...others] = headerLines
  if (line === undefined) return refuse('header-line', 'one X-Platform-Signature header', 'none')
  if (others.length > 0) return refuse('header-line', 'one X-Platform-Signature header', `${headerLines.length}`)
  if (line.length > limits.envelopeHeaderBytesMax) {
    return refuse('header-line', `at most ${limits.envelopeHeaderBytesMax} bytes`, `${line.length} bytes`)
  }
  const segments = line.split('.')
  const [protectedSegment, payloadSegment, signature] = segments
  if (segments.length !== 3 || !protectedSegment || payloadSegment !== '' || !signature) {
    const lengths = segments.map((segment) => segment.length).join(', ')
    return refuse('segments', '<protected>..<signature>, the middle segment empty', `segments of length ${lengths}`)
  }
  if (!canonicalBytes(signature))
    return refuse('encoding', 'a signature in base64url without padding', 'another encoding')
  return { protectedSegment, signature }
}

function readHeader(protectedSegment: string): { parameters: Parameters } | EnvelopeError {
  const bytes = canonicalBytes(protectedSegment)
  if (!bytes) return refuse('encoding', 'a protected header in base64url without padding', 'another encoding')
  const reading = bytes[0] === 0xef ? undefined : readStrictJson(decodeUtf8(bytes) ?? '')
  if (!reading?.ok)
    return refuse('json', 'a JSON object in UTF-8, no name twice', reading?.error.kind ?? 'a byte order mark')
  const parameters = reading.object.value
  const forbidden = forbiddenParameters.find((parameter) => Object.hasOwn(parameters, parameter))
  if (forbidden) return refuse('forbidden-parameter', `none of ${forbiddenParameters.join(', ')}`, forbidden)
  if (parameters['alg'] !== 'RS256') return refuse('algorithm', 'alg RS256', show(parameters['alg']))
  return { parameters }
}

function findSigner({ kid }: Parameters, { keys }: EnvelopeRules): { kid: string; key: KeyObject } | EnvelopeError {
  const key = typeof kid === 'string' ? keys.get(kid) : undefined
  return typeof kid === 'string' && key ? { kid, key } : refuse('kid', 'the kid of a registered key', show(kid))
}

function checkClaims(
  parameters: Parameters,
  rules: Omit<EnvelopeRules, 'keys'>,
): { exp: number; jti: string | undefined } | EnvelopeError {
  const { exp, jti } = parameters
  if (typeof exp !== 'number' || exp < 0) return refuse('expiry', 'exp, a Unix time in seconds', show(exp))
  // With `<=` instead, a clock that is NaN would let every envelope pass.
  if (!(exp + rules.leewayS > rules.nowS)) return refuse('expiry', `exp after ${rules.nowS}`, show(exp))
  const isJti = typeof jti === 'string' && jti.length >= 1 && jti.length <= limits.envelopeJtiLengthMax
  if (!rules.request) return { exp, jti: isJti ? jti : undefined }

  const expMax = rules.nowS + limits.envelopeExpAheadSMax
  if (!(exp <= expMax)) return refuse('expiry', `exp at most ${expMax}`, show(exp))
  if (!isJti) return refuse('jti', `jti, a string of 1 to ${limits.envelopeJtiLengthMax}`, show(jti))
  const { method, path } = rules.request
  if (Object.hasOwn(parameters, 'htm') && parameters['htm'] !== method) {
    return refuse('method', `htm ${method}`, show(parameters['htm']))
  }
  if (Object.hasOwn(parameters, 'htu') && pathOf(parameters['htu']) !== path) {
    return refuse('url', `htu with the path ${path}`, show(parameters['htu']))
  }
  return { exp, jti }
}

/** Checks a signature as the interface asks for. */
export const checkRs256: CheckSignature = async (signed, key) => {
  try {
    await flattenedVerify(signed, key, { algorithms: ['RS256'] })
    return 'valid'
  } catch {
    return isMadeBy(key, signed.signature) ? 'other-bytes' : 'other-key'
  }
}

function refuseSignature(cause: 'other-bytes' | 'other-key', kid: string, body: Uint8Array): EnvelopeError {
  const expected = `a signature by ${kid} over the received bytes`
  const received =
    cause === 'other-bytes'
      ? `one by ${kid} over other bytes than these ${body.byteLength} and this header`
      : 'one by another private key, or a damaged one'
  return { ...refuse('signature', expected, received), kid, cause }
}

/** Whether the key made the signature, over whatever bytes: no other key leaves the padding of RSASSA-PKCS1-v1_5. */
function isMadeBy(key: KeyObject, signature: string): boolean {
  try {
    publicDecrypt({ key, padding: constants.RSA_PKCS1_PADDING }, Buffer.from(signature, 'base64url'))
    return true
  } catch {
    return false
  }
}

function refuse(step: EnvelopeStep, expected: string, received: string): EnvelopeError {
  return { ok: false, step, expected, received }
}

/** The bytes of a base64url segment, undefined unless encoding them again gives the same text. */
function canonicalBytes(segment: string): Buffer | undefined {
  const bytes = Buffer.from(segment, 'base64url')
  return bytes.toString('base64url') === segment ? bytes : undefined
}

/** The path of an absolute http(s) URL as it is written, without query; undefined for anything else. */
function pathOf(url: unknown): string | undefined {
  return typeof url === 'string' ? /^https?:\/\/[^/?#]+(\/[^?#]*)$/.exec(url)?.[1] : undefined
}

function show(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value).slice(0, 200)
}
