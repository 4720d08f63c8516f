import { constants, createHash, createPublicKey, sign, verify } from 'node:crypto'
import {
  base64url,
  body,
  gameServerJwk,
  gameServerKey,
  halves,
  header,
  headerAnd,
  line,
  type Mutant,
  partner,
  platformKey,
  rawSignature,
  searched,
  strangerKey,
} from './workbench.ts'

const modulus = BigInt(`0x${Buffer.from(`${gameServerJwk.n}`, 'base64url').toString('hex')}`)
const numberOf = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
const bytesOf = (number: bigint, length = 256) => Buffer.from(number.toString(16).padStart(length * 2, '0'), 'hex')
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest()
const rs256 = (input: Buffer) => sign('sha256', input, gameServerKey)

/** RSASSA-PSS with a salt that is always the same, so that these files never change. @see RFC 8017 section 9.1.1 */
export function pssSignature(input: Buffer): Buffer {
  const salt = sha256(Buffer.from('a fixed salt'))
  const hash = sha256(Buffer.concat([Buffer.alloc(8), sha256(input), salt]))
  const block = Buffer.concat([Buffer.alloc(256 - 1 - 32 - 32 - 1), Buffer.from([1]), salt])
  for (let at = 0, counter = 0; at < block.length; counter++) {
    for (const byte of sha256(Buffer.concat([hash, bytesOf(BigInt(counter), 4)]))) {
      if (at < block.length) block.writeUInt8(block.readUInt8(at) ^ byte, at++)
    }
  }
  block.writeUInt8(block.readUInt8(0) & 0x7f, 0)
  const signed = rawSignature(Buffer.concat([block, hash, Buffer.from([0xbc])]))
  const key = { key: createPublicKey(gameServerKey), padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }
  if (!verify('sha256', input, key, signed)) throw new Error('pssSignature does not make a PS256 signature')
  return signed
}

const digestInfo = Buffer.from('3031300d060960864801650304020105000420', 'hex')
const digestInfoWithoutNull = Buffer.from('302f300b0609608648016503040201' + '0420', 'hex')

/** PKCS#1 v1.5 by hand: `00 01 ff… 00` before the content, garbage behind it where the padding is cut short. */
function padded(content: Uint8Array, { type = 1, fill = 0xff, paddingLength = 253 - content.length } = {}): Buffer {
  const head = [Buffer.from([0, type]), Buffer.alloc(paddingLength, fill), Buffer.from([0])]
  const garbage = Buffer.alloc(253 - paddingLength - content.length, 0x55)
  return rawSignature(Buffer.concat([...head, content, garbage]))
}

const whole = line(header())
const [protectedSegment, signatureSegment] = halves(whole)
const signed = Buffer.from(signatureSegment, 'base64url')
const flipped = (bit: number) => {
  const bytes = Buffer.from(signed)
  bytes.writeUInt8(bytes.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
  return bytes
}

/** Other 'signatures' over the right signing input. */
const signatures: readonly Mutant[] = (
  [
    ["a stranger's key", line(header(), { key: strangerKey })],
    ["the platform's key", line(header(), { key: platformKey })],
    ['SHA-1', line(header(), { by: (input) => sign('sha1', input, gameServerKey) })],
    ['SHA-224', line(header(), { by: (input) => sign('sha224', input, gameServerKey) })],
    ['SHA-384', line(header(), { by: (input) => sign('sha384', input, gameServerKey) })],
    ['SHA-512', line(header(), { by: (input) => sign('sha512', input, gameServerKey) })],
    ['SHA3-256', line(header(), { by: (input) => sign('sha3-256', input, gameServerKey) })],
    ['PSS padding', line(header(), { by: pssSignature })],
    ['a digest without its algorithm', line(header(), { by: (input) => padded(sha256(input)) })],
    [
      'a digest whose algorithm lacks its NULL',
      line(header(), { by: (input) => padded(Buffer.concat([digestInfoWithoutNull, sha256(input)])) }),
    ],
    [
      'padding cut short before garbage',
      line(header(), { by: (input) => padded(Buffer.concat([digestInfo, sha256(input)]), { paddingLength: 8 }) }),
    ],
    [
      'no padding before garbage',
      line(header(), { by: (input) => padded(Buffer.concat([digestInfo, sha256(input)]), { paddingLength: 0 }) }),
    ],
    [
      'padding of encryption',
      line(header(), { by: (input) => padded(Buffer.concat([digestInfo, sha256(input)]), { type: 2, fill: 0x5a }) }),
    ],
    [
      'padding of zeros',
      line(header(), { by: (input) => padded(Buffer.concat([digestInfo, sha256(input)]), { type: 0, fill: 0 }) }),
    ],
    ['all zeros', `${protectedSegment}..${base64url(Buffer.alloc(256))}`],
    ['all ones', `${protectedSegment}..${base64url(Buffer.alloc(256, 0xff))}`],
    ['the number one', `${protectedSegment}..${base64url(bytesOf(1n))}`],
    ['the modulus', `${protectedSegment}..${base64url(bytesOf(modulus))}`],
    ['the modulus less one', `${protectedSegment}..${base64url(bytesOf(modulus - 1n))}`],
    ['the negative', `${protectedSegment}..${base64url(bytesOf(modulus - numberOf(signed)))}`],
    ['one zero byte', `${protectedSegment}..AA`],
    ['the last byte cut off', `${protectedSegment}..${base64url(signed.subarray(0, 255))}`],
    ['the first byte cut off', `${protectedSegment}..${base64url(signed.subarray(1))}`],
    ['half of it', `${protectedSegment}..${base64url(signed.subarray(0, 128))}`],
    ['a zero byte behind', `${protectedSegment}..${base64url(Buffer.concat([signed, Buffer.alloc(1)]))}`],
    ['a zero byte before', `${protectedSegment}..${base64url(Buffer.concat([Buffer.alloc(1), signed]))}`],
    ['itself twice', `${protectedSegment}..${base64url(Buffer.concat([signed, signed]))}`],
    ['the first bit flipped', `${protectedSegment}..${base64url(flipped(7))}`],
    ['a bit in the middle flipped', `${protectedSegment}..${base64url(flipped(1_024))}`],
    ['the last bit flipped', `${protectedSegment}..${base64url(flipped(2_040))}`],
    ['the bytes in reverse', `${protectedSegment}..${base64url(Buffer.from(signed).reverse())}`],
    ['the digest itself', line(header(), { by: sha256 })],
    ['hexadecimal text', line(header(), { by: (input) => Buffer.from(rs256(input).toString('hex')) })],
    ['base64url twice', line(header(), { by: (input) => Buffer.from(base64url(rs256(input))) })],
  ] satisfies [string, string][]
).map(([name, text]) => ({
  step: 'signature',
  name: `signature: ${name}`,
  why: 'not the RS256 signature of this key over these bytes',
  lines: [text],
}))

// Two spellings of a number that are smaller or larger than one signature in a few hundred: the jti is searched.
const leadingZero = searched((candidate) => Buffer.from(halves(candidate)[1], 'base64url')[0] === 0)
const small = searched((candidate) => numberOf(Buffer.from(halves(candidate)[1], 'base64url')) + modulus < 1n << 2_048n)
const respelled = (candidate: string, spell: (bytes: Buffer) => Buffer) => {
  const [segment, text] = halves(candidate)
  return `${segment}..${base64url(spell(Buffer.from(text, 'base64url')))}`
}

const spellings: readonly Mutant[] = [
  ['the leading zero byte left out', respelled(leadingZero, (bytes) => bytes.subarray(1))],
  ['the modulus added', respelled(small, (bytes) => bytesOf(numberOf(bytes) + modulus))],
].map(([name, text]) => ({
  step: 'signature',
  name: `signature: ${name}`,
  why: 'the same number to RSA, in another spelling',
  lines: [`${text}`],
}))

const reserialised = JSON.stringify(JSON.parse(body), null, 1)
const composed = body.normalize('NFD')
const over = (signing: (segment: string) => string) => line(header(), { over: signing })

/** Signatures over something that is not `<protected>.<base64url(body)>`. */
const inputs: readonly Mutant[] = (
  [
    ['the bare payload', over((segment) => `${segment}.${body}`)],
    ['the payload with padding', over((segment) => `${segment}.${base64url(body)}=`)],
    ['the payload in hexadecimal', over((segment) => `${segment}.${Buffer.from(body).toString('hex')}`)],
    ["the payload's digest", over((segment) => `${segment}.${base64url(sha256(Buffer.from(body)))}`)],
    ['the payload in UTF-16', over((segment) => `${segment}.${base64url(Buffer.from(body, 'utf16le'))}`)],
    ['the header alone', over((segment) => segment)],
    ['the header and a dot', over((segment) => `${segment}.`)],
    ['the payload alone', over(() => base64url(body))],
    ['the body alone', over(() => body)],
    ['the header bare', over(() => `${header()}.${base64url(body)}`)],
    ['both bare', over(() => `${header()}.${body}`)],
    ['header and payload without a dot', over((segment) => segment + base64url(body))],
    ['two dots', over((segment) => `${segment}..${base64url(body)}`)],
    ['the payload before the header', over((segment) => `${base64url(body)}.${segment}`)],
    ['a line feed behind', over((segment) => `${segment}.${base64url(body)}\n`)],
  ] satisfies [string, string][]
).map(([name, text]) => ({
  step: 'signature',
  name: `signing input: ${name}`,
  why: 'the signing input is base64url(protected) "." base64url(body)',
  lines: [text],
}))

const standardBody = '{"itemRef":"~~~???ÿ"}'
const standard: Mutant = {
  step: 'signature',
  name: 'signing input: the payload in standard base64',
  why: 'the signing input is base64url(protected) "." base64url(body)',
  lines: [over((segment) => `${segment}.${Buffer.from(standardBody).toString('base64')}`)],
  body: standardBody,
}

/** Signatures over another body than the one that arrived. */
const bodies: readonly Mutant[] = (
  [
    ['serialised again', body, reserialised],
    ['with its names sorted', body, '{"action":"ADJUST_STOCK","itemRef":"espada-élfica-★-剣","observedQuantity":7}'],
    ['with escapes for its UTF-8', body, body.replace('é', '\\u00e9')],
    ['with its é in two characters', body, composed],
    ['with a line feed behind', body, `${body}\n`],
    ['with CR LF behind', body, `${body}\r\n`],
    ['with a space before', body, ` ${body}`],
    ['with a byte order mark', body, `\ufeff${body}`],
    ['with a NUL behind', body, `${body}\0`],
    ['without its last byte', body, body.slice(0, -1)],
    ['with another quantity', body, body.replace('7', '8')],
    ['with a name twice', body, body.replace('}', ',"observedQuantity":9}')],
    ['in Latin-1', body, Buffer.from('{"itemRef":"élfica"}', 'latin1')],
    ['in base64url', body, base64url(body)],
    ['empty where one was signed', body, ''],
    ['there where none was signed', '', body],
    ['an empty object where none was signed', '', '{}'],
    ['none where an empty object was signed', '{}', ''],
    ['twice', body, body + body],
  ] satisfies [string, string, string | Uint8Array][]
).map(([name, sealed, arrived]) => ({
  step: 'signature',
  name: `body ${name}`,
  why: 'the signature holds for the bytes that were signed, not for what they mean',
  lines: [line(header(), { body: sealed })],
  body: arrived,
}))

const { exp, ...withoutExp } = partner
const swapped = (text: string, other: string) => `${base64url(text)}..${halves(other)[1]}`

/** A good signature under another header. */
const headers: readonly Mutant[] = (
  [
    ['with a fresh jti', swapped(header({ jti: 'fresh' }), whole)],
    ['with a later exp', swapped(header({ exp: partner.exp + 60 }), whole)],
    ['serialised again', swapped(header().replaceAll(',', ', '), whole)],
    ['without htm and htu', swapped(header({ htm: undefined, htu: undefined }), whole)],
    ['with a field added', swapped(headerAnd('"note":1'), whole)],
    ['without a field', swapped(header(), line(headerAnd('"note":1')))],
    ['with its names in another order', swapped(JSON.stringify({ exp, ...withoutExp }), whole)],
  ] satisfies [string, string][]
).map(([name, text]) => ({
  step: 'signature',
  name: `header ${name} after signing`,
  why: 'the header is signed as it was written',
  lines: [text],
}))

export const signatureMutants: readonly Mutant[] = [
  ...signatures,
  ...spellings,
  ...inputs,
  standard,
  ...bodies,
  ...headers,
]
