import { base64url, signingInput } from '../../../contract/envelope/protected-header.ts'
import type { TransactionTerminal, TransferOrder } from '../../../contract/events.ts'
import { limits } from '../../../contract/limits.ts'
import { transactionPhases } from '../../../contract/transaction.ts'
import { iso } from '../../clock/iso.ts'
import type { Random } from '../../marketplace/random.ts'
import type { ProbeKey } from './key.ts'
import { signRs256 } from './signatures.ts'

/** One webhook, ready to be posted. */
export interface SignedWebhook {
  readonly body: string
  /** Value of X-Platform-Signature; null sends none. */
  readonly signature: string | null
  readonly event: 'transfer_order' | 'transaction_terminal'
  /** A proper webhook that is not judged. It is sent first, so that the receiver knows the purchase. */
  readonly isGroundwork?: true
}

/** The item and the characters of the orders, for a receiver that accepts only known ones. */
export interface ProbeSale {
  readonly itemRef: string
  readonly buyerCharacterRef: string
  readonly sellerCharacterRef: string
}

/** How a webhook differs from a proper one. */
export interface Flaw {
  /** Parameters of the protected header that are replaced; undefined leaves one out. */
  readonly header?: Readonly<Record<string, unknown>>
  /** Replaces the signature by RS256 and the platform's key. */
  readonly sign?: (input: string, key: ProbeKey) => Buffer
  /** Sent in place of the text that was signed. */
  readonly sentBody?: string
  /** Makes the header's value; null sends no header. */
  readonly join?: (protectedSegment: string, payloadSegment: string, signature: string) => string | null
}

/** The phases that end a purchase. */
export type TerminalPhase = {
  [Phase in keyof typeof transactionPhases]: (typeof transactionPhases)[Phase]['outcome'] extends null ? never : Phase
}[keyof typeof transactionPhases]

/** What the workbench needs. */
export interface WorkbenchParts {
  readonly key: ProbeKey
  readonly sale: ProbeSale
  readonly random: Random
  readonly nowMs: () => number
}

/** Makes proper and flawed webhooks. */
export type Workbench = ReturnType<typeof makeWorkbench>

/** Makes a workbench. Each of its orders has its own purchase. */
export function makeWorkbench({ key, sale, random, nowMs }: WorkbenchParts) {
  // High, so that no real purchase has it. Below 2^31, for receivers with 32-bit integers.
  let transactionId = 1e9 + (Number.parseInt(random.uuid('probe', 'transactions').slice(0, 8), 16) % 1e9)
  let sealed = 0
  const nowS = () => Math.floor(nowMs() / 1_000)
  return {
    kid: key.kid,

    /** Unix time in seconds. */
    nowS,

    /** A purchase that was just paid. */
    order: (): TransferOrder => ({
      event: 'transfer_order',
      transactionId: transactionId++,
      ...sale,
      quantity: 1,
      paidAt: iso(nowMs()),
    }),

    /** The end of a purchase. */
    terminal({ transactionId, itemRef }: TransferOrder, phase: TerminalPhase): TransactionTerminal {
      const { paymentStatus, deliveryStatus } = transactionPhases[phase]
      const end = { transactionId, itemRef, paymentStatus, deliveryStatus, reason: null, occurredAt: iso(nowMs()) }
      return { event: 'transaction_terminal', ...end }
    },

    /** Signs an event as the platform does, with the flaw. */
    seal(event: TransferOrder | TransactionTerminal, flaw: Flaw = {}, body = JSON.stringify(event)): SignedWebhook {
      const { sign: signed = signRs256, join = joinDetached } = flaw
      const jti = random.uuid('probe-jti', sealed++)
      const times = { iat: nowS(), exp: nowS() + limits.envelopeLifetimeS }
      const header = { alg: 'RS256', kid: key.kid, jti, ...times, ...flaw.header }
      const protectedSegment = Buffer.from(JSON.stringify(header)).toString('base64url')
      const bytes = Buffer.from(body)
      const signature = signed(signingInput(protectedSegment, bytes), key).toString('base64url')
      return {
        event: event.event,
        body: flaw.sentBody ?? body,
        signature: join(protectedSegment, base64url(bytes), signature),
      }
    },
  }
}

function joinDetached(protectedSegment: string, _: string, signature: string): string {
  return `${protectedSegment}..${signature}`
}
