import { header, headerWith, line, type Mutant, nowS, path, url } from './workbench.ts'

const expOfRequest: readonly Mutant[] = (
  [
    ['missing', undefined],
    ['null', null],
    ['string', 'tomorrow'],
    ['string of digits', `${nowS + 30}`],
    ['ISO-8601', '2026-01-01T00:00:30Z'],
    ['true', true],
    ['list', [nowS + 30]],
    ['object', { exp: nowS + 30 }],
    ['zero', 0],
    ['negative', -1],
    ['far below zero', -nowS],
    ['past by a second', nowS - 1],
    ['past by a day', nowS - 86_400],
    ['equal to now', nowS],
    ['601 seconds ahead', nowS + 601],
    ['600.5 seconds ahead', nowS + 600.5],
    ['a day ahead', nowS + 86_400],
    ['in milliseconds', (nowS + 30) * 1_000],
    ['the largest exact integer', Number.MAX_SAFE_INTEGER],
  ] as const
).map(([name, exp]) => ({
  step: 'expiry',
  name: `exp ${name}`,
  why: 'exp is a finite number of seconds, after now and at most 600 ahead',
  lines: [line(header({ exp }))],
}))

const expSpelled: readonly Mutant[] = (
  [
    ['minus zero', '"exp":-0'],
    ['almost nothing', '"exp":1e-400'],
    ['under another case', `"EXP":${nowS + 30}`],
  ] as const
).map(([name, member]) => ({
  step: 'expiry',
  name: `exp ${name}`,
  why: 'exp is a finite number of seconds, after now and at most 600 ahead',
  lines: [line(headerWith('exp', member))],
}))

const jtis: readonly Mutant[] = (
  [
    ['missing', undefined],
    ['null', null],
    ['number', 1],
    ['true', true],
    ['list', ['jti']],
    ['object', { jti: 'jti' }],
    ['empty', ''],
    ['of 256 characters', 'j'.repeat(256)],
    ['of 256 characters outside the basic plane', '\u{1f5e1}'.repeat(256)],
  ] as const
).map(([name, jti]) => ({
  step: 'jti',
  name: `jti ${name}`,
  why: 'without a jti of 1 to 255 characters a replay is not seen',
  lines: [line(header({ jti }))],
}))

const methods: readonly Mutant[] = (
  [
    ['of another request', 'POST'],
    ['GET', 'GET'],
    ['lower-case', 'put'],
    ['in mixed case', 'Put'],
    ['with a space', 'PUT '],
    ['empty', ''],
    ['null', null],
    ['number', 1],
    ['list', ['PUT']],
  ] as const
).map(([name, htm]) => ({
  step: 'method',
  name: `htm ${name}`,
  why: 'signed for another method',
  lines: [line(header({ htm }))],
}))

const origin = url.slice(0, -path.length)
const urls: readonly Mutant[] = (
  [
    ['of another route', `${origin}/v1/api/transactions`],
    ['of the root', `${origin}/`],
    ['without a path', origin],
    ['relative', path],
    ['relative to the scheme', `//platform.example${path}`],
    ['with a trailing slash', `${url}/`],
    ['with two leading slashes', `${origin}/${path}`],
    ['with a dot segment', `${origin}/v1/./api/market/listings`],
    ['with a double dot segment', `${origin}/v1/api/x/../market/listings`],
    ['with a letter percent-encoded', `${origin}/v1/api/market/list%69ngs`],
    ['with a slash percent-encoded', `${origin}/v1/api/market%2Flistings`],
    ['in upper case', `${origin}${path.toUpperCase()}`],
    ['with backslashes', `${origin}${path.replaceAll('/', '\\')}`],
    ['with a query', `${url}?itemRef=1`],
    ['with an empty query', `${url}?`],
    ['with a fragment', `${url}#x`],
    ['with the path in a query', `https://platform.example/?${path}`],
    ['with the path in a fragment', `https://platform.example/#${path}`],
    ['ftp', `ftp://platform.example${path}`],
    ['file', `file://${path}`],
    ['without a host', `https://${path}`],
    ['of an opaque scheme', `https:${path}`],
    ['with a leading space', ` ${url}`],
    ['with a trailing line feed', `${url}\n`],
    ['of two addresses', `${url} ${url}`],
    ['empty', ''],
    ['null', null],
    ['number', 1],
    ['list', [url]],
    ['object', { href: url }],
  ] as const
).map(([name, htu]) => ({
  step: 'url',
  name: `htu ${name}`,
  why: 'signed for another address',
  lines: [line(header({ htu }))],
}))

/** Whole envelopes, good where they were meant to go. */
const carried: readonly Mutant[] = (
  [
    ['to another method', 'method', 'POST', path],
    ['to another route', 'url', 'PUT', '/v1/api/transactions'],
    ['to a path that begins alike', 'url', 'PUT', `${path}/1`],
    ['to a path that ends alike', 'url', 'PUT', `/x${path}`],
    ['to the same path with a query', 'url', 'PUT', `${path}?x=1`],
  ] as const
).map(([name, step, method, to]) => ({
  step,
  name: `envelope carried ${name}`,
  why: 'htm and htu bind an envelope to one request',
  method,
  path: to,
  lines: [line(header())],
}))

export const claimMutants: readonly Mutant[] = [
  ...expOfRequest,
  ...expSpelled,
  ...jtis,
  ...methods,
  ...urls,
  ...carried,
]
