import { createHash } from 'node:crypto'
import { signingInput } from '../../contract/envelope/protected-header.ts'
import type { PartnerFault } from '../faults/partner-fault.ts'
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
  /** Of the answer, whether or not a fault let it leave; null where a fault dropped the request before anybody saw it. */
  readonly status: number | null
  /** Code of the refusal, null for a success. */
  readonly code: string | null
  readonly message: string | null
  readonly durationMs: number
  /** Present when nobody could be found behind the request: what to look at. */
  readonly authentication: AuthenticationFault | null
  /** The fault that the request met, if any. */
  readonly fault: PartnerFault['kind'] | null
}

/** Why a signature or a key was refused, in the detail that saves an integrator days. */
export interface AuthenticationFault {
  readonly step: AuthRefusal['step']
  readonly expected: string
  readonly received: string
  /** What the signature has to be made over: the received protected segment and the received bytes. Null without a header. */
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
  const header = headerOf(protectedSegment)
  const { step, expected, received } = refused
  return {
    step,
    expected,
    received,
    // Only of what is a header: a key or a bare signature that was sent in its place must not stand in the journal.
    signingInput:
      header && protectedSegment
        ? signingInput(protectedSegment, request.body).slice(0, stubLimits.journalSigningInputLengthMax)
        : null,
    bodyBytes: request.body.length,
    bodySha256: createHash('sha256').update(request.body).digest('hex'),
    clockDifferenceS: typeof header?.['iat'] === 'number' ? Math.round(header['iat'] - nowMs / 1_000) : null,
  }
}

/** A protected header as whoever wrote it may have meant it; undefined for what is none. */
function headerOf(protectedSegment = ''): Readonly<Record<string, unknown>> | undefined {
  try {
    const header: unknown = JSON.parse(Buffer.from(protectedSegment, 'base64url').toString('utf8'))
    return typeof header === 'object' && header !== null ? (header as Readonly<Record<string, unknown>>) : undefined
  } catch {
    return undefined
  }
}
