import { createHmac, createPublicKey, sign } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import { pssSignature } from './signature.ts'
import {
  base64url,
  body,
  gameServerJwk,
  gameServerKey,
  gameServerKid,
  gameServerPublicPem,
  header,
  headerAnd,
  headerWith,
  line,
  type Mutant,
  nowS,
  partner,
  platformKey,
  platformKid,
  strangerJwk,
  strangerKey,
} from './workbench.ts'

const nested = (depth: number) => `"deep":${'['.repeat(depth)}${']'.repeat(depth)}`
const bytes = (...parts: (string | number[])[]) => Buffer.concat(parts.map((part) => Buffer.from(part as string)))
/** The header with a member whose text holds raw bytes. */
const holding = (...raw: number[]) => bytes(header().slice(0, -1), ',"note":"', raw, '"}')
const again = (member: string) => headerAnd(member)

/** Headers that are not JSON with one meaning. Each is truly signed. */
const json: readonly Mutant[] = (
  [
    ['array', '[]', 'an object is asked for'],
    ['array around the object', `[${header()}]`, 'an object is asked for'],
    ['string', JSON.stringify(header()), 'an object is asked for'],
    ['number', '1767225600', 'an object is asked for'],
    ['null', 'null', 'an object is asked for'],
    ['true', 'true', 'an object is asked for'],
    ['white space alone', ' ', 'not JSON'],
    ['words', 'alg=RS256', 'not JSON'],
    ['cut off', header().slice(0, -1), 'not JSON'],
    ['two objects', header() + header(), 'not JSON'],
    ['something behind the object', `${header()}x`, 'not JSON'],
    ['NUL behind the object', `${header()}\0`, 'not JSON'],
    ['semicolon behind the object', `${header()};`, 'not JSON'],
    ['block comment', header().replace('{', '{/* alg */'), 'JSON has no comments'],
    ['line comment', header().replace('{', '{// alg\n'), 'JSON has no comments'],
    ['comment behind the object', `${header()}//`, 'JSON has no comments'],
    ['trailing comma', header().replace(/\}$/, ',}'), 'not JSON'],
    ['leading comma', header().replace('{', '{,'), 'not JSON'],
    ['names without quotation marks', header().replace('"alg"', 'alg'), 'not JSON'],
    ['single quotation marks', header().replaceAll('"', "'"), 'not JSON'],
    ['line feed inside a string', headerWith('jti', '"jti":"a\nb"'), 'not JSON'],
    ['unknown escape', headerWith('jti', '"jti":"\\x61"'), 'not JSON'],
    ['no-break space between names', header().replace(',', ',\u00a0'), 'not JSON'],
    ['exp NaN', headerWith('exp', '"exp":NaN'), 'not JSON'],
    ['exp Infinity', headerWith('exp', '"exp":Infinity'), 'not JSON'],
    ['exp with a leading zero', headerWith('exp', `"exp":0${nowS + 30}`), 'not JSON'],
    ['exp with a plus', headerWith('exp', `"exp":+${nowS + 30}`), 'not JSON'],
    ['exp in hexadecimal', headerWith('exp', `"exp":0x${(nowS + 30).toString(16)}`), 'not JSON'],
    ['exp 1e999', headerWith('exp', '"exp":1e999'), 'reads as infinite'],
    ['exp -1e999', headerWith('exp', '"exp":-1e999'), 'reads as infinite'],
    ['exp beyond 2^53', headerWith('exp', '"exp":9007199254740993'), 'reads as another number'],
    ['iat beyond 2^53', headerWith('iat', '"iat":9007199254740993'), 'reads as another number'],
    ['33 levels deep', headerAnd(nested(32)), '32 is the limit'],
    ['1000 levels deep', headerAnd(nested(1_000)), '32 is the limit'],
    ['byte order mark', `\ufeff${header()}`, 'JSON on the wire has none (RFC 8259 section 8.1)'],
    ['UTF-16', Buffer.from(header(), 'utf16le'), 'UTF-8 is asked for'],
    ['UTF-16 with a byte order mark', Buffer.from(`\ufeff${header()}`, 'utf16le'), 'UTF-8 is asked for'],
    ['Latin-1', holding(0xe9), 'not UTF-8'],
    ['half a UTF-8 character', holding(0xc3), 'not UTF-8'],
    ['overlong UTF-8', holding(0xc0, 0xaf), 'not UTF-8'],
    ['a surrogate in UTF-8', holding(0xed, 0xa0, 0x80), 'not UTF-8'],
    ['beyond Unicode', holding(0xf4, 0x90, 0x80, 0x80), 'not UTF-8'],
    ['invalid UTF-8 behind the object', bytes(header(), [0xff]), 'not UTF-8'],
    ['lone high surrogate', headerAnd('"note":"\\ud800"'), 'has no meaning in Unicode'],
    ['lone low surrogate', headerAnd('"note":"\\udc00x"'), 'has no meaning in Unicode'],
    ['surrogates in the wrong order', headerAnd('"note":"\\udc00\\ud800"'), 'has no meaning in Unicode'],
    ['lone surrogate in a name', headerAnd('"\\ud800":1'), 'has no meaning in Unicode'],
    ['alg twice, equal', again('"alg":"RS256"'), 'which one counts is a guess'],
    ['alg twice, none last', again('"alg":"none"'), 'which one counts is a guess'],
    ['alg twice, none first', header().replace('{', '{"alg":"none",'), 'which one counts is a guess'],
    ['alg twice, once escaped', again('"\\u0061lg":"RS256"'), 'which one counts is a guess'],
    ['alg twice, once escaped with none', again('"\\u0061\\u006C\\u0067":"none"'), 'which one counts is a guess'],
    ['kid twice, equal', again(`"kid":"${gameServerKid}"`), 'which one counts is a guess'],
    ['kid twice, another last', again(`"kid":"${platformKid}"`), 'which one counts is a guess'],
    ['kid twice, another first', header().replace('{', '{"kid":"another",'), 'which one counts is a guess'],
    ['kid twice, once escaped', again(`"k\\u0069d":"${gameServerKid}"`), 'which one counts is a guess'],
    ['exp twice, equal', again(`"exp":${partner.exp}`), 'which one counts is a guess'],
    ['exp twice, past first', header().replace('{', '{"exp":1,'), 'which one counts is a guess'],
    ['exp twice, once escaped', again(`"\\u0065xp":${partner.exp}`), 'which one counts is a guess'],
    ['jti twice, equal', again(`"jti":"${partner.jti}"`), 'which one counts is a guess'],
    ['jti twice, another last', again('"jti":"fresh"'), 'a replay would look new to one of two readers'],
    ['jti twice, once escaped', again('"\\u006Ati":"fresh"'), 'a replay would look new to one of two readers'],
    ['htm twice', again('"htm":"PUT"'), 'which one counts is a guess'],
    ['htu twice', again('"htu":"https://elsewhere.example/"'), 'which one counts is a guess'],
    ['an unknown name twice', headerAnd('"note":1,"note":1'), 'which one counts is a guess'],
    ['the empty name twice', headerAnd('"":1,"":2'), 'which one counts is a guess'],
    ['__proto__ twice', headerAnd('"__proto__":{},"__proto__":null'), 'which one counts is a guess'],
    ['a name twice inside a list', headerAnd('"note":[{"a":1,"a":1}]'), 'which one counts is a guess'],
  ] as const
).map(([name, text, why]) => ({ step: 'json', name: `header: ${name}`, why, lines: [line(text)] }))

const unencoded = {
  over: (segment: string) => `${segment}.${body}`,
}
const certificate = base64url(createPublicKey(gameServerKey).export({ format: 'der', type: 'spki' }))

/** Parameters that change what is verified or with which key. Each header is truly signed. */
const forbidden: readonly Mutant[] = (
  [
    ['crit empty', { crit: [] }],
    ['crit null', { crit: null }],
    ['crit a string', { crit: 'exp' }],
    ['crit with an unknown name', { crit: ['x-unknown'], 'x-unknown': 1 }],
    ['crit with exp', { crit: ['exp'] }],
    ['crit with an absent name', { crit: ['b64'] }],
    ['b64 true', { b64: true }],
    ['b64 true with crit', { b64: true, crit: ['b64'] }],
    ['b64 null', { b64: null }],
    ['b64 false without crit', { b64: false }],
    ['jwk with the right key', { jwk: gameServerJwk }],
    ['jwk empty', { jwk: {} }],
    ['jwk null', { jwk: null }],
    ['jku', { jku: 'https://platform.example/jwks.json' }],
    ['jku to an address inside', { jku: 'http://169.254.169.254/latest/meta-data/' }],
    ['x5u', { x5u: 'https://platform.example/certificate.pem' }],
    ['x5c', { x5c: [certificate] }],
    ['x5c empty', { x5c: [] }],
    ['x5t', { x5t: base64url('a digest of 20 bytes') }],
    ['x5t#S256', { 'x5t#S256': base64url('a digest that is 32 bytes long .') }],
    ['zip', { zip: 'DEF' }],
    ['zip null', { zip: null }],
  ] as const
).map(([name, changes]) => ({
  step: 'forbidden-parameter',
  name,
  why: 'changes what is verified, or with which key',
  lines: [line(header(changes))],
}))

const forged: readonly Mutant[] = (
  [
    ['b64 false with crit over the bare payload', line(header({ b64: false, crit: ['b64'] }), unencoded)],
    ['b64 false with crit over the encoded payload', line(header({ b64: false, crit: ['b64'] }))],
    ['b64 false without crit over the bare payload', line(header({ b64: false }), unencoded)],
    ["a stranger's jwk", line(header({ jwk: strangerJwk }), { key: strangerKey })],
    ["a stranger's jwk without kid", line(header({ jwk: strangerJwk, kid: undefined }), { key: strangerKey })],
    ["a stranger's jku", line(header({ jku: 'https://stranger.example/jwks.json' }), { key: strangerKey })],
    ['zip over the deflated payload', line(header({ zip: 'DEF' }), { body: deflateRawSync(body, { level: 0 }) })],
    ['jwk spelled with an escape', line(headerAnd(`"\\u006awk":${JSON.stringify(strangerJwk)}`), { key: strangerKey })],
  ] as const
).map(([name, text]) => ({
  step: 'forbidden-parameter',
  name,
  why: 'changes what is verified, or with which key',
  lines: [text],
}))

const hmac = (digest: string, secret: string | Buffer) => (input: Buffer) =>
  createHmac(digest, secret).update(input).digest()
const publicDer = createPublicKey(gameServerKey).export({ format: 'der', type: 'spki' })
const rsa = (digest: string) => (input: Buffer) => sign(digest, input, gameServerKey)

/** Other algorithms, each with a signature that is right by its own rules where it has rules. */
const algorithms: readonly Mutant[] = (
  [
    ['none with a signature of two bytes', { alg: 'none' }, () => Buffer.from('no')],
    ['none with an RS256 signature', { alg: 'none' }],
    ['None', { alg: 'None' }],
    ['nOnE', { alg: 'nOnE' }],
    ['HS256 by the public key in PEM', { alg: 'HS256' }, hmac('sha256', gameServerPublicPem)],
    ['HS256 by the public key in PEM, trimmed', { alg: 'HS256' }, hmac('sha256', gameServerPublicPem.trim())],
    ['HS256 by the public key in DER', { alg: 'HS256' }, hmac('sha256', publicDer)],
    ['HS256 by the empty secret', { alg: 'HS256' }, hmac('sha256', '')],
    ['HS256 by the kid', { alg: 'HS256' }, hmac('sha256', gameServerKid)],
    ['HS512 by the public key in PEM', { alg: 'HS512' }, hmac('sha512', gameServerPublicPem)],
    ['RS384', { alg: 'RS384' }, rsa('sha384')],
    ['RS512', { alg: 'RS512' }, rsa('sha512')],
    ['RS1', { alg: 'RS1' }, rsa('sha1')],
    ['PS256', { alg: 'PS256' }, pssSignature],
    ['RS256 named, lower-case', { alg: 'rs256' }],
    ['RS256 named with a space', { alg: 'RS256 ' }],
    ['RS256 named with a NUL', { alg: 'RS256\0' }],
    ['RS256 named in look-alike letters', { alg: 'R\u0405256' }],
    ['RS256 named in full', { alg: 'RSASSA-PKCS1-v1_5' }],
    ['ES256', { alg: 'ES256' }],
    ['EdDSA', { alg: 'EdDSA' }],
    ['empty', { alg: '' }],
    ['missing', { alg: undefined }],
    ['null', { alg: null }],
    ['number', { alg: 256 }],
    ['true', { alg: true }],
    ['list', { alg: ['RS256'] }],
    ['object', { alg: { name: 'RS256' } }],
    ['under another case', { alg: undefined, ALG: 'RS256' }],
  ] as const
).map(([name, changes, by]) => ({
  step: 'algorithm',
  name: `alg ${name}`,
  why: 'RS256 alone is accepted',
  lines: [line(header(changes), by ? { by } : {})],
}))

/** Keys that are not registered for this direction. Each is truly signed by the key of this direction, or the one it names. */
const kids: readonly Mutant[] = (
  [
    ['missing', undefined],
    ['null', null],
    ['number', 1],
    ['empty', ''],
    ['list', [gameServerKid]],
    ['object', { kid: gameServerKid }],
    ['unknown', 'test-game-server-2'],
    ['in upper case', gameServerKid.toUpperCase()],
    ['with a space', `${gameServerKid} `],
    ['with a NUL', `${gameServerKid}\0`],
    ['cut short', gameServerKid.slice(0, -1)],
    ['__proto__', '__proto__'],
    ['constructor', 'constructor'],
    ['toString', 'toString'],
    ['hasOwnProperty', 'hasOwnProperty'],
    ['a path to a file', '../../../../dev/null'],
    ['an SQL condition', "' OR '1'='1"],
    ['an address', 'https://stranger.example/key.pem'],
  ] as const
).map(([name, kid]) => ({
  step: 'kid',
  name: `kid ${name}`,
  why: 'names no registered key',
  lines: [line(header({ kid }))],
}))

const platformsKid: Mutant = {
  step: 'kid',
  name: "kid of the platform's key, truly signed by it",
  why: 'the platform signs webhooks, not requests',
  lines: [line(header({ kid: platformKid }), { key: platformKey })],
}

export const headerMutants: readonly Mutant[] = [...json, ...forbidden, ...forged, ...algorithms, ...kids, platformsKid]
