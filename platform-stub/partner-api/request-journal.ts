import { hash } from 'node:crypto'
import { apiKeyHeaderName, signingInput } from '../../contract/envelope/protected-header.ts'
import { type HttpRequest, linesOf } from '../http/http-request.ts'
import type { AnsweredRequest } from './answer.ts'
import { type AuthRefusal, signatureName } from './authenticate.ts'

/** Requests that are kept. */
export const journalEntriesMax = 1_000
/** Longer signing inputs are kept only with the newest entries, and there whole. */
const journalSigningInputLengthMax = 16_384
/** The same for bodies. */
const journalBodyLengthMax = 4_096
/** The newest entries are kept whole. */
const journalWholeEntriesMax = 100

/** One partner request as the journal shows it. */
export interface JournalEntry extends Omit<AnsweredRequest, 'request' | 'unauthenticated' | 'body' | 'answerBody'> {
  readonly method: string
  readonly path: string
  /** Rises by one with each request since the stub was started. */
  readonly number: number
  /** The transaction that it is about, or made; null for any other request. */
  readonly transactionId: number | null
  /** Name, in small letters, and value of each line, without secrets; null where long ones of an older request are not kept. */
  readonly headers: readonly (readonly [name: string, value: string])[] | null
  /** As text, without secrets; empty where there was none, null where a long one of an older request is not kept. */
  readonly requestBody: string | null
  readonly answerBody: string | null
  /** Present when no caller was found: what to look at. */
  readonly authentication: AuthenticationFault | null
}

/** Why a signature or a key was refused, in the detail that saves an integrator days. */
export interface AuthenticationFault {
  readonly step: AuthRefusal['step']
  readonly expected: string
  readonly received: string
  /** At the step `signature`: whether another key made it, or this key over other bytes. Null at every other step. */
  readonly cause: AuthRefusal['cause']
  /**
   * What the signature has to be made over: the received protected segment and the received bytes. Null without a
   * header, and where a long one of an older request is not kept any more; it is never cut.
   */
  readonly signingInput: string | null
  /** In characters; null without a header. */
  readonly signingInputLength: number | null
  /** Of the whole signing input, in hex, to compare with one's own; null without a header. */
  readonly signingInputSha256: string | null
  readonly bodyBytes: number
  readonly bodySha256: string
  /** The sender's `iat` minus the platform's time, in seconds; null where it could not be read. */
  readonly clockDifferenceS: number | null
}

/** The last partner requests, in memory. */
export type Journal = ReturnType<typeof requestJournal>

/** @param onChange Called with each new entry, because no table shows it. */
export function requestJournal(onChange: () => void) {
  let entries: JournalEntry[] = []
  let added = 0
  return {
    add({ request, unauthenticated, body, answerBody, ...answered }: AnsweredRequest): void {
      const { method, path } = request
      const authentication =
        unauthenticated && explain(request, body ?? Buffer.alloc(0), unauthenticated, answered.atMs)
      const bodies = { requestBody: withoutSecrets(body?.toString() ?? ''), answerBody: withoutSecrets(answerBody) }
      const transactionId = transactionIdOf(answered.operation, path, answerBody)
      const headers = headersOf(request)
      entries.push({ number: ++added, method, path, ...answered, transactionId, headers, ...bodies, authentication })
      const agedAt = entries.length - 1 - journalWholeEntriesMax
      const aged = entries[agedAt]
      if (aged) entries[agedAt] = withoutLongText(aged)
      // Twice the bound before it is cut: cutting at every entry would move all of them each time.
      if (entries.length >= 2 * journalEntriesMax) entries = entries.slice(-journalEntriesMax)
      onChange()
    },
    /** Newest first. */
    newest: (count: number) => entries.slice(-Math.min(count, journalEntriesMax)).reverse(),
    /** The entry of a number; undefined where it is not kept any more. */
    byNumber: (number: number) => entries.slice(-journalEntriesMax).find((entry) => entry.number === number),
    clear(): void {
      entries = []
    },
  }
}

/** An older entry, whose long texts are not kept: those of a thousand would be a hundred megabytes. */
function withoutLongText(entry: JournalEntry): JournalEntry {
  const { authentication, headers, requestBody, answerBody } = entry
  const headersLength = (headers ?? []).reduce((length, [, value]) => length + value.length, 0)
  const isLong = (authentication?.signingInputLength ?? 0) > journalSigningInputLengthMax
  return {
    ...entry,
    headers: headersLength > journalBodyLengthMax ? null : headers,
    requestBody: unlessLong(requestBody),
    answerBody: unlessLong(answerBody),
    ...(authentication && isLong && { authentication: { ...authentication, signingInput: null } }),
  }
}

function unlessLong(body: string | null): string | null {
  return body !== null && body.length > journalBodyLengthMax ? null : body
}

/** A body in which an API key of the stub and a private key in PEM are hidden: they belong into neither body. */
function withoutSecrets(body: string): string {
  return body
    .replaceAll(/\bstub_[\w-]{43}/g, 'stub_***')
    .replaceAll(/-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(-----END [A-Z ]*PRIVATE KEY-----|$)/gs, '*** private key ***')
}

const secretHeaders: ReadonlySet<string> = new Set([
  apiKeyHeaderName.toLowerCase(),
  'authorization',
  'cookie',
  'proxy-authorization',
])

/**
 * A header's value in which credentials are hidden. Of a signature the protected header stays, which is not a secret.
 */
function withoutCredentials(name: string, value: string): string {
  if (secretHeaders.has(name)) return '***'
  if (name !== signatureName) return withoutSecrets(value)
  const [protectedSegment = ''] = value.split('.', 1)
  return headerOf(protectedSegment) ? `${protectedSegment}..***` : '***'
}

function headersOf({ headers }: HttpRequest): readonly (readonly [name: string, value: string])[] {
  return [...headers].flatMap(([name, lines]) => lines.map((line) => [name, withoutCredentials(name, line)] as const))
}

function transactionIdOf(operation: string | null, path: string, answerBody: string) {
  const inPath = /^\/v1\/api\/transactions\/(\d{1,15})(\/|$)/.exec(path)
  const made = operation === 'transaction.create' ? /"transactionId":(\d{1,15})\b/.exec(answerBody) : null
  const [, id] = inPath ?? made ?? []
  return id === undefined ? null : Number(id)
}

/** Explains why no caller was found. @param nowMs The stub's time, Unix ms. */
function explain(request: HttpRequest, body: Buffer, refused: AuthRefusal, nowMs: number): AuthenticationFault {
  const [line, ...others] = linesOf(request, signatureName)
  const protectedSegment = others.length === 0 ? line?.split('.')[0] : undefined
  const header = headerOf(protectedSegment)
  const { step, expected, received, cause } = refused
  // Only if it is a header: a key or a bare signature sent in its place must not get into the journal.
  const input = header && protectedSegment ? signingInput(protectedSegment, body) : null
  return {
    step,
    expected,
    received,
    cause,
    signingInput: input,
    signingInputLength: input?.length ?? null,
    signingInputSha256: input === null ? null : sha256(input),
    bodyBytes: body.length,
    bodySha256: sha256(body),
    clockDifferenceS: typeof header?.['iat'] === 'number' ? Math.round(header['iat'] - nowMs / 1_000) : null,
  }
}

/** A protected header, read leniently to explain what is wrong with it; undefined if it is none. */
function headerOf(protectedSegment = ''): Readonly<Record<string, unknown>> | undefined {
  try {
    const header: unknown = JSON.parse(Buffer.from(protectedSegment, 'base64url').toString('utf8'))
    return typeof header === 'object' && header !== null ? (header as Readonly<Record<string, unknown>>) : undefined
  } catch {
    return undefined
  }
}

function sha256(bytes: string | Uint8Array): string {
  return hash('sha256', bytes, 'hex')
}
