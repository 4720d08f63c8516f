import { createHmac, sign } from 'node:crypto'
import {
  base64url,
  event,
  gameServerKey,
  gameServerKid,
  halves,
  line as lineOf,
  type Mutant,
  nowS,
  platformKey,
  platformKid,
  platformPublicPem,
  type Signing,
  strangerJwk,
  strangerKey,
} from './workbench.ts'

// A game server verifies webhooks and nothing else: the ways to forge a paid order, one or two of each kind.

const order =
  '{"event":"transfer_order","transactionId":90071992,"itemRef":"espada-élfica-★-剣","quantity":2,' +
  '"buyerCharacterRef":"Zé da Silva","sellerCharacterRef":"Ações & Cia","paidAt":"2026-01-01T00:00:00Z"}'

const header = (changes: Readonly<Record<string, unknown>> = {}) => JSON.stringify({ ...event, ...changes })
const and = (members: string) => header().replace(/\}$/, () => `,${members}}`)
const line = (text: string, signing: Signing = {}) => lineOf(text, { key: platformKey, body: order, ...signing })

const whole = line(header())
const [protectedSegment, signatureSegment] = halves(whole)
const signed = Buffer.from(signatureSegment, 'base64url')
const payload = base64url(order)
const hmac = (input: Buffer) => createHmac('sha256', platformPublicPem).update(input).digest()

const lines: readonly Mutant[] = (
  [
    ['segments', 'with its payload attached', `${protectedSegment}.${payload}.${signatureSegment}`],
    ['segments', 'with another payload attached', `${protectedSegment}.${base64url('{}')}.${signatureSegment}`],
    ['segments', 'with one dot', `${protectedSegment}.${signatureSegment}`],
    ['segments', 'with a trailing dot', `${whole}.`],
    ['segments', 'without a signature', `${protectedSegment}..`],
    ['segments', 'without a header', `..${signatureSegment}`],
    ['segments', 'of two lines joined by a comma', `${whole},${whole}`],
    ['encoding', 'with padding', `${whole}==`],
    ['encoding', 'with a trailing space', `${whole} `],
    ['encoding', 'with a line break inside', `${whole.slice(0, 60)}\r\n ${whole.slice(60)}`],
    ['json', 'whose header is a list', line(`[${header()}]`)],
    ['json', 'whose header is null', line('null')],
    ['json', 'whose header is no JSON', line('{')],
    ['json', 'whose header has a comment', line(header().replace('{', '{/**/'))],
    ['json', 'with alg twice', line(and('"alg":"RS256"'))],
    ['json', 'with alg twice, once escaped', line(and('"\\u0061lg":"none"'))],
    ['json', 'with kid twice', line(and(`"kid":"${platformKid}"`))],
    ['json', 'with exp twice', line(and(`"exp":${event.exp}`))],
    ['json', 'with exp 1e999', line(header().replace(`${event.exp}`, '1e999'))],
    ['forbidden-parameter', 'with b64 false and crit', line(header({ b64: false, crit: ['b64'] }))],
    ['forbidden-parameter', 'with an unknown crit', line(header({ crit: ['x-unknown'], 'x-unknown': 1 }))],
    ['forbidden-parameter', 'that brings its own key', line(header({ jwk: strangerJwk }), { key: strangerKey })],
    ['forbidden-parameter', 'that names where its key is', line(header({ jku: 'https://stranger.example/jwks.json' }))],
    ['forbidden-parameter', 'with zip', line(header({ zip: 'DEF' }))],
    ['algorithm', 'of alg none', line(header({ alg: 'none' }))],
    ['algorithm', 'of alg HS256 by the public key', line(header({ alg: 'HS256' }), { by: hmac })],
    [
      'algorithm',
      'of alg RS512',
      line(header({ alg: 'RS512' }), { by: (input) => sign('sha512', input, platformKey) }),
    ],
    ['algorithm', 'of alg rs256', line(header({ alg: 'rs256' }))],
    ['algorithm', 'without alg', line(header({ alg: undefined }))],
    ['kid', 'of an unknown kid', line(header({ kid: 'test-platform-2' }))],
    ['kid', 'of kid __proto__', line(header({ kid: '__proto__' }))],
    ['kid', 'without kid', line(header({ kid: undefined }))],
    ['kid', "of a game server's kid and key", line(header({ kid: gameServerKid }), { key: gameServerKey })],
    ['signature', "signed by a game server's key", line(header(), { key: gameServerKey })],
    ['signature', "signed by a stranger's key", line(header(), { key: strangerKey })],
    ['signature', 'signed over the bare payload', line(header(), { over: (segment) => `${segment}.${order}` })],
    ['signature', 'signed over the body alone', line(header(), { over: () => order })],
    ['signature', 'signed with SHA-512', line(header(), { by: (input) => sign('sha512', input, platformKey) })],
    ['signature', 'with a signature of zeros', `${protectedSegment}..${base64url(Buffer.alloc(256))}`],
    ['signature', 'with a signature cut short', `${protectedSegment}..${base64url(signed.subarray(0, 255))}`],
    ['signature', 'with a later exp than was signed', `${base64url(header({ exp: nowS + 360 }))}..${signatureSegment}`],
  ] as const
).map(([step, name, text]) => ({ step, name: `webhook ${name}`, why: 'a paid order could be forged', lines: [text] }))

const counts: readonly Mutant[] = [
  { name: 'webhook without a line', lines: [] },
  { name: 'webhook with its line twice', lines: [whole, whole] },
].map((mutant) => ({ step: 'header-line', why: 'one line is asked for', ...mutant }))

const exps: readonly Mutant[] = (
  [
    ['missing', undefined, nowS],
    ['null', null, nowS],
    ['a string of digits', `${event.exp}`, nowS],
    ['true', true, nowS],
    ['a list', [event.exp], nowS],
    ['negative', -1, nowS],
    ['past by exactly the leeway', event.exp, event.exp + 30],
    ['past by an hour', event.exp, event.exp + 3_600],
  ] as const
).map(([name, exp, at]) => ({
  step: 'expiry',
  name: `webhook whose exp is ${name}`,
  why: 'a webhook opens until 30 seconds after its exp, a number',
  nowS: at,
  lines: [line(header({ exp }))],
}))

const bodies: readonly Mutant[] = (
  [
    ['serialised again', JSON.stringify(JSON.parse(order), null, 1)],
    ['with a line feed behind', `${order}\n`],
    ['with another transaction', order.replace('90071992', '90071993')],
    ['with escapes for its UTF-8', order.replace('é', '\\u00e9')],
    ['with its accents in two characters', order.normalize('NFD')],
    ['with a name twice', order.replace('"quantity":2', '"quantity":2,"quantity":3')],
    ['empty', ''],
    ['of another kind', '{}'],
  ] satisfies [string, string][]
).map(([name, body]) => ({
  step: 'signature',
  name: `webhook body ${name}`,
  why: 'the signature holds for the bytes that were signed, not for what they mean',
  lines: [whole],
  body,
}))

export const webhookMutants: readonly Mutant[] = [...counts, ...lines, ...exps, ...bodies].map((mutant) => ({
  body: order,
  ...mutant,
  direction: 'webhook',
}))
