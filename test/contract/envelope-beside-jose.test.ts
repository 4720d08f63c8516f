import { flattenedVerify } from 'jose'
import { expect, test } from 'vitest'
import type { EnvelopeStep } from '../../contract/envelope/open.ts'
import { accepted, bodyOf, refused, rulesOf, type Vector } from '../vectors/vectors.ts'

// jose answers one question, whether the signature is valid; the rest of these envelopes is for us to refuse.

/** The usual way to give a detached JWS to jose: the first line, split at its dots. */
async function joseAccepts(vector: Vector): Promise<boolean> {
  const [protectedSegment = '', , signature = ''] = (vector.headerLines[0] ?? '').split('.')
  const [key] = rulesOf(vector).keys.values()
  if (!key) throw new Error(`no key for ${vector.direction}`)
  const jws = { protected: protectedSegment, payload: bodyOf(vector).toString('base64url'), signature }
  return flattenedVerify(jws, key, { algorithms: ['RS256'] }).then(
    () => true,
    () => false,
  )
}

/** The refused envelopes that jose accepts, by the reason for which we refuse them. */
const whyStricter: Readonly<Record<string, readonly string[]>> = {
  'which of several lines was meant is a guess that a proxy may make differently': [
    'two lines',
    'the same line twice',
    'a good line before garbage',
    'webhook with its line twice',
  ],
  'work before the signature is bounded': ['a line of 16 KiB', 'header: 33 levels deep', 'header: 1000 levels deep'],
  'a second payload in the line invites someone to read that one': [
    'a space as payload',
    'another payload attached',
    'padding as payload',
    'the payload attached',
    'webhook with another payload attached',
    'webhook with its payload attached',
  ],
  'one envelope has one spelling, in logs and in caches too': [
    'trailing dot',
    'four segments',
    'five segments, as encrypted tokens have',
    'webhook with a trailing dot',
    'padding on the signature',
    'trailing bits of the signature changed',
    'trailing space',
    'trailing tab',
    'trailing line feed',
    'trailing carriage return and line feed',
    'space behind the dots',
    'space inside the signature',
    'line feed inside the signature',
    'form feed inside the signature',
    'webhook with padding',
    'webhook with a trailing space',
    'header: byte order mark',
  ],
  'of a name given twice one reader takes the first and another the last': [
    'header: alg twice, equal',
    'header: alg twice, none first',
    'header: alg twice, once escaped',
    'header: kid twice, equal',
    'header: kid twice, another last',
    'header: kid twice, another first',
    'header: kid twice, once escaped',
    'header: exp twice, equal',
    'header: exp twice, past first',
    'header: exp twice, once escaped',
    'header: jti twice, equal',
    'header: jti twice, another last',
    'header: jti twice, once escaped',
    'header: htm twice',
    'header: htu twice',
    'header: an unknown name twice',
    'header: the empty name twice',
    'header: __proto__ twice',
    'header: a name twice inside a list',
    'webhook with alg twice',
    'webhook with kid twice',
    'webhook with exp twice',
  ],
  'another number or text is read than was written': [
    'header: exp 1e999',
    'header: exp -1e999',
    'header: exp beyond 2^53',
    'header: iat beyond 2^53',
    'header: lone high surrogate',
    'header: lone low surrogate',
    'header: surrogates in the wrong order',
    'header: lone surrogate in a name',
    'webhook with exp 1e999',
  ],
  'a parameter that says how or by which key to verify is obeyed by some verifiers': [
    'b64 true',
    'b64 true with crit',
    'b64 null',
    'b64 false without crit',
    'b64 false with crit over the encoded payload',
    'webhook with b64 false and crit',
    'jwk with the right key',
    'jwk empty',
    'jwk null',
    'jku',
    'jku to an address inside',
    'x5u',
    'x5c',
    'x5c empty',
    'x5t',
    'x5t#S256',
    'zip',
    'zip null',
    'webhook that names where its key is',
    'webhook with zip',
  ],
}

const claimSteps: readonly EnvelopeStep[] = ['kid', 'expiry', 'jti', 'method', 'url']

test('jose opens every envelope that we open', async () => {
  for (const vector of accepted) expect(await joseAccepts(vector), vector.name).toBe(true)
})

test('where jose accepts the form of an envelope that we refuse, the reason is on the list', async () => {
  const names: string[] = []
  for (const vector of refused) {
    if (!claimSteps.includes(vector.step) && (await joseAccepts(vector))) names.push(vector.name)
  }
  expect(names.sort()).toEqual(Object.values(whyStricter).flat().sort())
})

test('jose judges no claim: whose key, until when, once and for which request is ours to refuse', async () => {
  const refusedByJose: string[] = []
  for (const vector of refused) {
    if (claimSteps.includes(vector.step) && !(await joseAccepts(vector))) refusedByJose.push(vector.name)
  }
  // These two are signed by the key they name, which is not the key of their direction.
  expect(refusedByJose).toEqual([
    "kid of the platform's key, truly signed by it",
    "webhook of a game server's kid and key",
  ])
})
