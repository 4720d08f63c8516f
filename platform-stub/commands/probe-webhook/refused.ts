import type { TransactionTerminal, TransferOrder } from '../../../contract/events.ts'
import { limits } from '../../../contract/limits.ts'
import { transactionPhases } from '../../../contract/transaction.ts'
import type { Probe } from './probe.ts'
import { signByStranger, signHs256ByPublicKey, signPs256, signRs512 } from './signatures.ts'
import type { Flaw, Workbench } from './workbench.ts'

/** Twice the lifetime of a signature: more than any leeway for clocks that differ. */
const pastLeewayS = 2 * limits.envelopeLifetimeS
const { paymentStatus, deliveryStatus } = transactionPhases['refunded-after-failure']

/** What a receiver must refuse: an order, or the end of a purchase, with one fault. */
export const probesOfRefusing: readonly Probe[] = [
  flawedOrder(
    'unsigned',
    'step 1',
    'without X-Platform-Signature',
    'refuse a request without X-Platform-Signature before you read its body',
    unsigned,
  ),
  flawedOrder(
    'middle-segment',
    'step 1',
    'with the payload between the two dots',
    'split the signature at its dots, and refuse it unless there are three parts and the middle one is empty',
    () => ({
      join: (protectedSegment, payload, signature) => `${protectedSegment}.${payload}.${signature}`,
    }),
  ),
  flawedOrder(
    'alg-none',
    'step 2',
    'with alg none and no signature',
    'compare alg with the text RS256 and refuse every other one; never let the header choose how you verify',
    () => ({
      header: { alg: 'none' },
      join: (protectedSegment) => `${protectedSegment}..`,
    }),
  ),
  flawedOrder(
    'alg-hs256',
    'step 2',
    'with alg HS256, the public key being the secret',
    'compare alg with the text RS256 and verify with RSA only; never use the public key as a secret',
    () => ({
      header: { alg: 'HS256' },
      sign: signHs256ByPublicKey,
    }),
  ),
  flawedOrder(
    'alg-rs512',
    'step 2',
    "with alg RS512, signed so by the platform's key",
    'refuse every alg but RS256, also if the signature is valid',
    () => ({
      header: { alg: 'RS512' },
      sign: signRs512,
    }),
  ),
  flawedOrder(
    'alg-ps256',
    'step 2',
    "with alg PS256, signed so by the platform's key",
    'refuse every alg but RS256, also if the signature is valid',
    () => ({
      header: { alg: 'PS256' },
      sign: signPs256,
    }),
  ),
  flawedOrder(
    'alg-misnamed',
    'step 2',
    'with alg RS384 over a signature that is RS256',
    'read alg from the protected header and refuse every one but RS256',
    () => ({
      header: { alg: 'RS384' },
    }),
  ),
  flawedOrder(
    'other-kid',
    'step 2',
    "with the kid of another key, signed by the platform's",
    'compare kid in the protected header with platformKeyKid, and refuse another one',
    ({ kid }) => ({
      header: { kid: `${kid}-other` },
    }),
  ),
  flawedOrder('no-kid', 'step 2', 'with no kid', 'refuse a protected header without kid', () => ({
    header: { kid: undefined },
  })),
  flawedOrder(
    'body-written-again',
    'step 3',
    'whose body was parsed and written again after signing',
    'verify the bytes that arrived, before any JSON parser; never write the body again to verify it',
    (_, order) => ({
      sentBody: JSON.stringify(order, null, 1),
    }),
  ),
  flawedOrder(
    'tampered-body',
    'step 4',
    'whose quantity was changed after signing',
    'verify the signature over the bytes that arrived, and act only if it is valid',
    (_, order) => ({
      sentBody: JSON.stringify({ ...order, quantity: 1_000 }),
    }),
  ),
  flawedOrder(
    'tampered-header',
    'step 4',
    'whose exp was moved after signing',
    'verify over the protected segment exactly as it arrived',
    () => ({
      join: (protectedSegment, _, signature) => `${withLaterExp(protectedSegment)}..${signature}`,
    }),
  ),
  flawedOrder(
    'stranger-key',
    'step 4',
    "with the platform's kid, signed by another key",
    'verify only with platformPublicKeyPem; a right kid proves nothing',
    signedByStranger,
  ),
  flawedOrder(
    'expired',
    'step 5',
    'with an exp of ten minutes ago',
    'refuse an exp that is past; allow some minutes at most for clocks that differ',
    expired,
  ),
  flawedOrder(
    'no-exp',
    'step 5',
    'with no exp',
    'refuse a protected header without exp, or with one that is not a number',
    () => ({ header: { exp: undefined } }),
  ),
  // A receiver may verify each event in its own code. If it accepts a forged end, it releases an item that was paid.
  flawedEnd(
    'end-unsigned',
    'step 1',
    'without X-Platform-Signature',
    'run the same verification for transaction_terminal as for transfer_order',
    unsigned,
  ),
  flawedEnd(
    'end-tampered-body',
    'step 4',
    'that was changed after signing, from completed to refunded',
    'run the same verification for transaction_terminal as for transfer_order',
    (_, end) => ({
      sentBody: JSON.stringify({ ...end, paymentStatus, deliveryStatus }),
    }),
  ),
  flawedEnd(
    'end-stranger-key',
    'step 4',
    "with the platform's kid, signed by another key",
    'run the same verification for transaction_terminal as for transfer_order',
    signedByStranger,
  ),
  flawedEnd(
    'end-past-its-exp',
    'step 5',
    'with an exp of ten minutes ago',
    'run the same verification for transaction_terminal as for transfer_order, exp included',
    expired,
  ),
]

/** The flaw of a webhook. */
type FlawOf<Event> = (bench: Workbench, event: Event) => Flaw

function flawedOrder(name: string, step: string, how: string, cure: string, flawOf: FlawOf<TransferOrder>): Probe {
  const sent = `a transfer_order ${how}`
  return refusing(name, step, sent, cure, (bench, order) => [bench.seal(order, flawOf(bench, order))])
}

/** The end of a purchase whose order was sent before, so that the receiver cannot refuse it as unknown. */
function flawedEnd(name: string, step: string, how: string, cure: string, flawOf: FlawOf<TransactionTerminal>): Probe {
  const sent = `a transfer_order, then a transaction_terminal ${how}`
  return refusing(name, step, sent, cure, (bench, order) => {
    const end = bench.terminal(order, 'completed')
    return [{ ...bench.seal(order), isGroundwork: true }, bench.seal(end, flawOf(bench, end))]
  })
}

function refusing(name: string, step: string, sent: string, cure: string, webhooks: Probe['webhooks']): Probe {
  return { name, rule: `section 5, ${step}`, sent, expected: 'refused', cure, webhooks }
}

function unsigned(): Flaw {
  return { join: () => null }
}

function signedByStranger(): Flaw {
  return { sign: signByStranger }
}

function expired({ nowS }: Workbench): Flaw {
  const exp = nowS() - pastLeewayS
  return { header: { iat: exp - limits.envelopeLifetimeS, exp } }
}

function withLaterExp(protectedSegment: string): string {
  const header = JSON.parse(Buffer.from(protectedSegment, 'base64url').toString()) as { readonly exp: number }
  return Buffer.from(JSON.stringify({ ...header, exp: header.exp + 60 })).toString('base64url')
}
