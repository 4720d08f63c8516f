import { createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'
import * as fc from 'fast-check'
import { flattenedVerify } from 'jose'
import { expect, test } from 'vitest'
import {
  type EnvelopeOpening,
  envelopeSteps,
  openEnvelope,
  type ReceivedEnvelope,
} from '../../contract/envelope/open.ts'
import { encodeProtectedHeader, type ProtectedHeader, signingInput } from '../../contract/envelope/protected-header.ts'
import { sealEnvelope } from '../../contract/envelope/seal.ts'
import { limits } from '../../contract/limits.ts'
import { testKeysOf } from '../vectors/test-keys.ts'
import {
  type AcceptedVector,
  accepted,
  bodyOf,
  keysOf,
  receivedOf,
  refused,
  rulesOf,
  type Vector,
} from '../vectors/vectors.ts'

const open = (vector: Vector, changes: Partial<ReceivedEnvelope> = {}) =>
  openEnvelope({ ...receivedOf(vector), ...changes }, rulesOf(vector))

/** Where an opening ended: the refusing step, or `opened`. */
const endOf = (opening: EnvelopeOpening) => (opening.ok ? 'opened' : opening.step)

function golden(name: string): AcceptedVector & { line: string } {
  const vector = accepted.find((candidate) => candidate.name === name)
  if (!vector) throw new Error(`no accepted vector is named ${name}`)
  return { ...vector, line: vector.headerLines[0] ?? '' }
}

const request = golden('partner request with a body')
const webhook = golden('transfer_order webhook')

// The golden envelopes

test('every envelope that openssl signed is opened, with its kid, jti and exp', async () => {
  for (const vector of accepted) {
    const { kid, jti, exp } = JSON.parse(vector.protectedHeader)
    expect(await open(vector), vector.name).toEqual({ ok: true, kid, jti, exp })
  }
})

test('our seal writes the lines that openssl made, byte for byte', async () => {
  const ours = accepted.filter(({ protectedHeader }) => JSON.stringify(JSON.parse(protectedHeader)) === protectedHeader)
  expect(ours.length).toBeGreaterThanOrEqual(15)
  for (const vector of ours) {
    const header = JSON.parse(vector.protectedHeader) as ProtectedHeader
    const key = testKeysOf(vector.direction === 'request' ? 'game-server' : 'platform').privateKey
    expect([await sealEnvelope(header, bodyOf(vector), key)], vector.name).toEqual(vector.headerLines)
    expect(signingInput(encodeProtectedHeader(header), bodyOf(vector)), vector.name).toBe(vector.signingInput)
  }
})

test('every envelope that must be refused is refused, at the step that the file names', async () => {
  const ends: Record<string, string> = {}
  for (const vector of refused) ends[vector.name] = endOf(await open(vector))
  expect(ends).toEqual(Object.fromEntries(refused.map(({ name, step }) => [name, step])))
})

test('every step refuses something and says what would have passed', async () => {
  expect(envelopeSteps.filter((step) => !refused.some((vector) => vector.step === step))).toEqual([])
  for (const vector of refused) {
    expect(await open(vector), vector.name).toMatchObject({ ok: false, expected: /./, received: /./ })
  }
})

test('a refusal shows neither signature nor body', async () => {
  for (const vector of refused) {
    const told = JSON.stringify(await open(vector))
    for (const line of vector.headerLines) {
      const signature = line.split('.').at(-1) ?? ''
      if (signature.length > 20) expect(told, vector.name).not.toContain(signature)
    }
    expect(told, vector.name).not.toContain('espada')
  }
})

// What the golden envelopes depend on

test('an envelope of one direction opens nothing in the other', async () => {
  const { nowS } = request
  const asWebhook = { keys: keysOf('webhook'), leewayS: 30, nowS, request: null }
  expect(endOf(await openEnvelope(receivedOf(request), asWebhook))).toBe('kid')
  const asRequest = { ...rulesOf(request), request: { method: 'POST', path: '/webhook' } }
  expect(endOf(await openEnvelope(receivedOf(webhook), asRequest))).toBe('kid')
})

test('a kid with the key of another kid is refused', async () => {
  const { kid } = JSON.parse(Buffer.from(request.line.split('.')[0] ?? '', 'base64url').toString())
  const keys = new Map([[kid, testKeysOf('stranger').publicKey]])
  const opening = await openEnvelope(receivedOf(request), { ...rulesOf(request), keys })
  expect(opening).toMatchObject({ ok: false, step: 'signature', cause: 'other-key' })
})

test('a signature by the right key over other bytes differs from one by another key', async () => {
  for (const vector of [request, webhook]) {
    const altered = { ...receivedOf(vector), body: Buffer.from(`${bodyOf(vector)} `) }
    const opening = await openEnvelope(altered, rulesOf(vector))
    expect(opening).toMatchObject({ ok: false, step: 'signature', cause: 'other-bytes' })
  }
})

test('of several registered keys, the one that the kid names is the one that counts', async () => {
  const { line, nowS } = webhook
  const header = Buffer.from(line.split('.')[0] ?? '', 'base64url').toString()
  const stranger = testKeysOf('stranger').publicKey
  const keys = new Map<string, KeyObject>([['old', stranger], ...keysOf('webhook'), ['new', stranger]])
  expect(endOf(await openEnvelope(receivedOf(webhook), { ...rulesOf(webhook), keys }))).toBe('opened')
  const byOld = await sealEnvelope(
    { ...JSON.parse(header), kid: 'old' },
    bodyOf(webhook),
    testKeysOf('stranger').privateKey,
  )
  const received = { headerLines: [byOld], body: bodyOf(webhook) }
  expect(await openEnvelope(received, { keys, nowS, leewayS: 0, request: null })).toMatchObject({
    ok: true,
    kid: 'old',
  })
})

test('an envelope opens until its exp plus the leeway, to the millisecond, and not at it', async () => {
  const { exp } = JSON.parse(accepted.find(({ name }) => name === webhook.name)?.protectedHeader ?? '')
  const at = async (nowS: number) => endOf(await openEnvelope(receivedOf(webhook), { ...rulesOf(webhook), nowS }))
  expect(await at(exp + 29.999)).toBe('opened')
  expect(await at(exp + 30)).toBe('expiry')
})

test('with a clock or a leeway that is not a number nothing opens', async () => {
  for (const vector of [request, webhook]) {
    for (const wrong of [{ nowS: Number.NaN }, { leewayS: Number.NaN }, { nowS: Number.POSITIVE_INFINITY }]) {
      expect(endOf(await openEnvelope(receivedOf(vector), { ...rulesOf(vector), ...wrong }))).toBe('expiry')
    }
  }
  const early = { ...rulesOf(request), nowS: Number.NEGATIVE_INFINITY }
  expect(endOf(await openEnvelope(receivedOf(request), early))).toBe('expiry')
})

test('a parameter counts only if it is in the header itself, never through __proto__', async () => {
  const key = testKeysOf('game-server').privateKey
  const good = JSON.parse(request.protectedHeader)
  for (const name of ['alg', 'kid', 'exp', 'jti']) {
    const { [name]: value, ...rest } = good
    const header = JSON.stringify(rest).replace(/\}$/, `,"__proto__":${JSON.stringify({ [name]: value })}}`)
    const line = signedBy(key, Buffer.from(header).toString('base64url'), bodyOf(request))
    expect((await open(request, { headerLines: [line] })).ok, name).toBe(false)
  }
})

test('a repeated envelope opens each time: replay is the caller’s to see, by kid and jti', async () => {
  expect(await open(request)).toEqual(await open(request))
})

// Changed bytes

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const strange = '+/=. \n\0é'

/** What may stand for a character: in a signature one bit apart, at its end and in a header anything. */
function others(character: string, isInside: boolean): string[] {
  const near = [1, 2, 4, 8, 16, 32].map((bit) => alphabet[alphabet.indexOf(character) ^ bit] ?? '')
  return [...(isInside ? near : alphabet), ...strange].filter((other) => other !== character)
}

/** Counts the changes and names those that opened. */
async function opened(vector: Vector, changes: Iterable<Partial<ReceivedEnvelope>>) {
  let tried = 0
  const passed: Partial<ReceivedEnvelope>[] = []
  for (const change of changes) {
    tried++
    if ((await open(vector, change)).ok) passed.push(change)
  }
  return { tried, passed }
}

test('no single character of a header line can be replaced', async () => {
  const { line } = webhook
  function* changes() {
    for (let at = 0; at < line.length; at++) {
      const isInside = at > line.indexOf('..') + 1 && at < line.length - 1
      for (const other of others(line[at] ?? '', isInside)) {
        yield { headerLines: [line.slice(0, at) + other + line.slice(at + 1)] }
      }
    }
  }
  const { tried, passed } = await opened(webhook, changes())
  expect(passed).toEqual([])
  expect(tried).toBeGreaterThan(10_000)
}, 20_000)

test('no single character of a header line can be left out, doubled or put in', async () => {
  function* changes() {
    for (let at = 0; at <= request.line.length; at++) {
      yield { headerLines: [request.line.slice(0, at) + request.line.slice(at + 1)] }
      for (const character of `${request.line[at] ?? ''}A. \t=,\0`) {
        yield { headerLines: [request.line.slice(0, at) + character + request.line.slice(at)] }
      }
    }
  }
  const { passed } = await opened(request, changes())
  // Leaving out what is behind the end changes nothing.
  expect(passed).toEqual([{ headerLines: [request.line] }])
})

function* bitFlips(bytes: Uint8Array) {
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = Uint8Array.from(bytes)
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    yield changed
  }
}

test('no single bit of header, signature or body can be flipped', async () => {
  for (const vector of [request, webhook]) {
    const [header = '', , signature = ''] = vector.line.split('.')
    const encoded = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
    function* changes() {
      for (const bytes of bitFlips(bodyOf(vector))) yield { body: bytes }
      for (const bytes of bitFlips(Buffer.from(header, 'base64url'))) {
        yield { headerLines: [`${encoded(bytes)}..${signature}`] }
      }
      for (const bytes of bitFlips(Buffer.from(signature, 'base64url'))) {
        yield { headerLines: [`${header}..${encoded(bytes)}`] }
      }
      for (const bytes of bitFlips(Buffer.from(vector.line)))
        yield { headerLines: [Buffer.from(bytes).toString('latin1')] }
    }
    expect((await opened(vector, changes())).passed).toEqual([])
  }
})

test('no splice of two good envelopes opens, but the two themselves', async () => {
  const lines = accepted
    .filter(({ direction }) => direction === 'request')
    .map(({ headerLines }) => headerLines[0] ?? '')
  const cut = fc.record({ line: fc.constantFrom(...lines), from: fc.nat(), to: fc.nat() })
  const spliced = fc
    .array(cut, { minLength: 1, maxLength: 4 })
    .map((cuts) =>
      cuts.map(({ line, from, to }) => line.slice(from % (line.length + 1), to % (line.length + 1))).join(''),
    )
  const byDots = fc
    .tuple(fc.constantFrom(...lines), fc.constantFrom(...lines))
    .map(([one, other]) => `${one.split('.')[0]}..${other.split('.')[2]}`)
  await fc.assert(
    fc.asyncProperty(fc.oneof(spliced, byDots), fc.constantFrom(...accepted), async (line, { bodyBase64 }) => {
      const opening = await open(request, { headerLines: [line], body: Buffer.from(bodyBase64, 'base64') })
      const isGolden = accepted.some((vector) => vector.headerLines[0] === line && vector.bodyBase64 === bodyBase64)
      return !opening.ok || isGolden
    }),
    { numRuns: 2_000 },
  )
})

test('no text at all as header line opens or throws', async () => {
  const segment = fc.oneof(
    fc.base64String(),
    fc.json().map((text) => Buffer.from(text).toString('base64url')),
    fc.string(),
  )
  const line = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(segment, { maxLength: 5 }).map((segments) => segments.join('.')),
    fc.tuple(segment, segment).map(([header, signature]) => `${header}..${signature}`),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 2 }), fc.uint8Array(), async (headerLines, body) => {
      return !(await open(request, { headerLines, body })).ok
    }),
    { numRuns: 300 },
  )
})

test('no change of a parameter’s value passes without its meaning being looked at', async () => {
  const key = testKeysOf('game-server').privateKey
  const good = JSON.parse(Buffer.from(request.line.split('.')[0] ?? '', 'base64url').toString())
  const checked = ['alg', 'kid', 'jti', 'exp', 'htm', 'htu'] as const
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...checked), fc.jsonValue(), async (name, value) => {
      const header = JSON.stringify({ ...good, [name]: value })
      const segment = Buffer.from(header).toString('base64url')
      const line = signedBy(key, segment, bodyOf(request))
      const opening = await open(request, { headerLines: [line] })
      const isJti = name === 'jti' && typeof value === 'string' && value.length >= 1 && value.length <= 255
      return opening.ok === (isJti || value === good[name])
    }),
    { numRuns: 500 },
  )
})

// Sealing

/** A line over any header text, true or not. */
function signedBy(key: KeyObject, segment: string, body: Uint8Array): string {
  return `${segment}..${sign('sha256', Buffer.from(signingInput(segment, body)), key).toString('base64url')}`
}

test('what we seal opens again, and jose and node:crypto verify it, whatever kid and body', async () => {
  const key = testKeysOf('game-server').privateKey
  const publicKey = createPublicKey(key)
  const kids = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
  const jtis = fc.oneof(fc.uuid(), fc.string({ minLength: 1, maxLength: 255 }))
  const bodies = fc.oneof(
    fc.uint8Array({ maxLength: 2_000 }),
    fc.json().map((text) => new TextEncoder().encode(text)),
  )
  await fc.assert(
    fc.asyncProperty(kids, jtis, bodies, fc.integer({ min: 1, max: 600 }), async (kid, jti, body, ahead) => {
      const nowS = 1_767_225_600
      const path = '/v1/api/transactions/7/delivery'
      const htu = `https://platform.example${path}`
      const exp = nowS + ahead
      const header = { alg: 'RS256', kid, jti, iat: nowS, exp, htm: 'POST', htu } as const
      const line = await sealEnvelope(header, body, key)
      const [segment = '', middle, signature = ''] = line.split('.')

      expect(middle).toBe('')
      expect(segment).toBe(encodeProtectedHeader(header))
      const rules = { keys: new Map([[kid, publicKey]]), nowS, leewayS: 0, request: { method: 'POST', path } }
      expect(await openEnvelope({ headerLines: [line], body }, rules)).toEqual({ ok: true, kid, jti, exp })

      const input = Buffer.from(signingInput(segment, body))
      expect(verify('sha256', input, publicKey, Buffer.from(signature, 'base64url'))).toBe(true)
      const payload = Buffer.from(body).toString('base64url')
      const opened = await flattenedVerify({ protected: segment, payload, signature }, publicKey)
      expect(Buffer.from(opened.payload)).toEqual(Buffer.from(body))
    }),
    { numRuns: 200 },
  )
})

test('a body that is a part of a larger buffer is signed as that part', async () => {
  const whole = new TextEncoder().encode('before{"a":1}after')
  const part = whole.subarray(6, 13)
  expect(signingInput('p', part)).toBe(`p.${Buffer.from('{"a":1}').toString('base64url')}`)
  const header = JSON.parse(request.protectedHeader) as ProtectedHeader
  const line = await sealEnvelope(header, part, testKeysOf('game-server').privateKey)
  expect(endOf(await open(request, { headerLines: [line], body: part }))).toBe('opened')
  expect(line).toBe(await sealEnvelope(header, Uint8Array.from(part), testKeysOf('game-server').privateKey))
})

test('a key that is public, too short or not RSA seals nothing', async () => {
  const header = { alg: 'RS256', kid: 'k', jti: 'j', iat: 0, exp: 1 } as const
  const keys = {
    public: createPublicKey(testKeysOf('game-server').privateKey),
    short: generateKeyPairSync('rsa', { modulusLength: limits.signingKeyBitsMin - 1_024 }).privateKey,
    elliptic: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
  }
  for (const [name, key] of Object.entries(keys)) {
    await expect(sealEnvelope(header, new Uint8Array(), key), name).rejects.toThrow()
  }
})
