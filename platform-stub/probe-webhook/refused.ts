import type { Probe } from './probe.ts'
import { signByStranger, signHs256ByPublicKey, signPs256, signRs512 } from './signatures.ts'
import type { Flaw, Workbench } from './workbench.ts'

/** Longer than any leeway. */
const longAgoS = 3_600

/** What a receiver has to refuse: an order of a purchase of its own with one thing wrong. */
export const probesOfRefusing: readonly Probe[] = [
  {
    name: 'unsigned',
    rule: 'section 5, step 1',
    sent: 'a transfer_order without X-Platform-Signature',
    expected: 'refused',
    webhooks: (bench) => [{ ...bench.seal(bench.order()), signature: null }],
  },
  flawed('middle-segment', 'step 1', 'the payload between the two dots', () => ({
    join: (protectedSegment, payload, signature) => `${protectedSegment}.${payload}.${signature}`,
  })),
  flawed('alg-none', 'step 2', 'alg none and no signature', () => ({
    header: { alg: 'none' },
    join: (protectedSegment) => `${protectedSegment}..`,
  })),
  flawed('alg-hs256', 'step 2', 'alg HS256, the public key being the secret', () => ({
    header: { alg: 'HS256' },
    sign: signHs256ByPublicKey,
  })),
  flawed('alg-rs512', 'step 2', "alg RS512, signed so by the platform's key", () => ({
    header: { alg: 'RS512' },
    sign: signRs512,
  })),
  flawed('alg-ps256', 'step 2', "alg PS256, signed so by the platform's key", () => ({
    header: { alg: 'PS256' },
    sign: signPs256,
  })),
  flawed('alg-misnamed', 'step 2', 'alg RS384 over a signature that is RS256', () => ({ header: { alg: 'RS384' } })),
  flawed('other-kid', 'step 2', "the kid of another key, signed by the platform's", ({ kid }) => ({
    header: { kid: `${kid}-other` },
  })),
  flawed('no-kid', 'step 2', 'no kid', () => ({ header: { kid: undefined } })),
  {
    name: 'body-written-again',
    rule: 'section 5, step 3',
    sent: 'a transfer_order whose body was parsed and written again after signing',
    expected: 'refused',
    webhooks(bench) {
      const order = bench.order()
      return [bench.seal(order, { sentBody: JSON.stringify(order, null, 1) })]
    },
  },
  {
    name: 'tampered-body',
    rule: 'section 5, step 4',
    sent: 'a transfer_order whose quantity was changed after signing',
    expected: 'refused',
    webhooks(bench) {
      const order = bench.order()
      return [bench.seal(order, { sentBody: JSON.stringify({ ...order, quantity: 1_000 }) })]
    },
  },
  {
    name: 'tampered-header',
    rule: 'section 5, step 4',
    sent: 'a transfer_order whose exp was moved after signing',
    expected: 'refused',
    webhooks: (bench) => [
      bench.seal(bench.order(), {
        join: (protectedSegment, _, signature) => `${withLaterExp(protectedSegment)}..${signature}`,
      }),
    ],
  },
  flawed('stranger-key', 'step 4', "the platform's kid, signed by another key", () => ({ sign: signByStranger })),
  flawed('expired', 'step 5', 'an exp of an hour ago', ({ nowS }) => ({
    header: { iat: nowS - longAgoS - 300, exp: nowS - longAgoS },
  })),
  flawed('no-exp', 'step 5', 'no exp', () => ({ header: { exp: undefined } })),
]

/** An order with one flaw of its signature. */
function flawed(name: string, step: string, what: string, flawOf: (bench: Workbench) => Flaw): Probe {
  return {
    name,
    rule: `section 5, ${step}`,
    sent: `a transfer_order with ${what}`,
    expected: 'refused',
    webhooks: (bench) => [bench.seal(bench.order(), flawOf(bench))],
  }
}

function withLaterExp(protectedSegment: string): string {
  const header = JSON.parse(Buffer.from(protectedSegment, 'base64url').toString()) as { readonly exp: number }
  return Buffer.from(JSON.stringify({ ...header, exp: header.exp + 60 })).toString('base64url')
}
