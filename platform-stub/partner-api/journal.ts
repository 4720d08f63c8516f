import { createHash } from 'node:crypto'
import { signingInput } from '../../contract/envelope/protected-header.ts'
import { stubLimits } from '../limits.ts'
import type { AuthRefusal } from './authenticate.ts'
import type { PartnerRequest } from './request.ts'

/** One partner request as the journal tells it. */
export interface JournalEntry {
  /** Unix ms of the stub's clock. */
  readonly atMs: number
  readonly method: string
  readonly path: string
  readonly operation: string | null
  readonly gameServerId: number | null
  readonly kid: string | null
  readonly status: number
  /** Code of the refusal, null for a success. */
  readonly code: string | null
  readonly message: string | null
  readonly durationMs: number
  /** Present when nobody could be found behind the request: what to look at. */
  readonly authentication: AuthenticationFault | null
}

/** Why a signature or a key was refused, in the detail that saves an integrator days. */
export interface AuthenticationFault {
  readonly step: AuthRefusal['step']
  readonly expected: string
  readonly received: string
  /** What the signature has to be made over: the received protected segment and the received bytes. */
  readonly signingInput: string | null
  readonly bodyBytes: number
  readonly bodySha256: string
  /** The sender's `iat` minus the platform's time, in seconds; null where it could not be read. */
  readonly clockDifferenceS: number | null
}

/** The last partner requests, in memory. */
export class Journal {
  #entries: JournalEntry[] = []

  add(entry: JournalEntry): void {
    this.#entries.push(entry)
    // Twice the bound before it is cut: cutting at every entry would move all of them each time.
    if (this.#entries.length >= 2 * stubLimits.journalEntriesMax) {
      this.#entries = this.#entries.slice(-stubLimits.journalEntriesMax)
    }
  }

  /** Newest first. */
  newest(count: number): JournalEntry[] {
    return this.#entries.slice(-Math.min(count, stubLimits.journalEntriesMax)).reverse()
  }

  clear(): void {
    this.#entries = []
  }
}

/** Explains a request that nobody could be found behind. @param nowMs The stub's time, Unix ms. */
export function explain(request: PartnerRequest, refused: AuthRefusal, nowMs: number): AuthenticationFault {
  const [line, ...others] = request.signatureLines
  const protectedSegment = others.length === 0 ? line?.split('.')[0] : undefined
  const { step, expected, received } = refused
  return {
    step,
    expected,
    received,
    signingInput: protectedSegment
      ? signingInput(protectedSegment, request.body).slice(0, stubLimits.journalSigningInputLengthMax)
      : null,
    bodyBytes: request.body.length,
    bodySha256: createHash('sha256').update(request.body).digest('hex'),
    clockDifferenceS: clockDifferenceS(protectedSegment, nowMs),
  }
}

function clockDifferenceS(protectedSegment: string | undefined, nowMs: number): number | null {
  try {
    const header: unknown = JSON.parse(Buffer.from(protectedSegment ?? '', 'base64url').toString('utf8'))
    const iat = (header as { readonly iat?: unknown } | null)?.iat
    return typeof iat === 'number' ? Math.round(iat - nowMs / 1_000) : null
  } catch {
    return null
  }
}
