import type { Status } from '../../../../agent/status/status.ts'
import { apiKeyHeaderName } from '../../../../contract/envelope/protected-header.ts'
import { headerIn } from '../../network/message.ts'
import type { SentRequest } from '../sent-request.ts'
import type { GivenCall, LoggedLine } from '../witnessed.ts'
import type { Break } from './judge.ts'
import { parseSignature, signatureOf } from './signature.ts'

const minuteMs = 60_000
/** What the agent writes for others. */
const ofAgent = /\/(?:inbox|events)\/|\/agent\.json$/
/** The requests of the interface (section 4), and not of the contract's own table, which is checked here. */
const forms: readonly RegExp[] = [
  /^POST \/v1\/api\/character-links - key and signature$/,
  /^POST \/v1\/api\/market\/listings - signature$/,
  /^PUT \/v1\/api\/market\/listings (?:ADJUST_STOCK|WITHDRAW) key and signature$/,
  /^GET \/v1\/api\/market\/eligibility\/[^/]+ - key and signature$/,
  // The question for the time.
  /^GET \/v1\/api\/market\/eligibility\/clock - nothing$/,
  /^POST \/v1\/api\/transactions - signature$/,
  /^GET \/v1\/api\/transactions\/n - key and signature$/,
  /^POST \/v1\/api\/transactions\/n\/delivery(?:-failure)? - key and signature$/,
]
/** How long the envelope of an attempt is valid after its timeout. */
const reserveS = 20
/** Signatures that the log is searched for: the last ones. */
const signaturesMax = 50
/** Of one kind. The agent's own limit is 30, in minutes that begin at any time, and each process counts for itself. */
const warningsPerMinuteMax = 100

interface WirePromisesParts {
  readonly break: Break
  /** What must never be logged, or given to a caller. */
  readonly secrets: () => readonly string[]
  /** Of a file of its host. */
  readonly textOf: (path: string) => string
  readonly attemptTimeoutMs: number
  readonly nowMs: () => number
}

/**
 * What is true of all that leaves an agent: requests of the interface's form, no jti twice (I7), no secret in a log or an answer (I8), no bug of its own (I10),
 * and no warning without an end.
 */
export class WirePromises {
  readonly #parts: WirePromisesParts
  readonly #break: Break
  readonly #jtis = new Set<string>()
  /** Every secret so far: an API key that was replaced is still one. */
  readonly #secrets = new Set<string>()
  #signatures: readonly string[] = []
  #minute = 0
  /** How often each warning was logged in this minute. */
  readonly #warnings = new Map<string, number>()

  constructor(parts: WirePromisesParts) {
    this.#parts = parts
    this.#break = parts.break
  }

  /** An agent sends a request. */
  readonly onSent = (request: SentRequest): undefined => {
    const { headers } = request
    this.#checkForm(request)
    const [signature] = signatureOf(headers)?.split('.').slice(-1) ?? []
    if (signature !== undefined) this.#signatures = [...this.#signatures.slice(1 - signaturesMax), signature]
    const { jti, iat = 0, exp = 0 } = parseSignature(headers) ?? {}
    if (jti === undefined) return
    if (exp - iat !== this.#parts.attemptTimeoutMs / 1_000 + reserveS)
      this.#break('the envelope of an attempt is valid for 20 s after its timeout', String(exp - iat))
    if (this.#jtis.has(jti)) this.#break('no jti is sent twice', jti)
    this.#jtis.add(jti)
  }

  #checkForm({ method, path, headers, input }: SentRequest): void {
    const isSigned = signatureOf(headers) !== undefined
    const credentials = headerIn(headers, apiKeyHeaderName) === undefined ? 'signature' : 'key and signature'
    const form = `${method} ${path.replace(/\/\d+/, '/n')} ${input['action'] ?? '-'} ${isSigned ? credentials : 'nothing'}`
    if (!forms.some((known) => known.test(form))) this.#break('a request has the form of the interface', form)
  }

  readonly onLogged = (line: LoggedLine): void => {
    const { text } = line
    for (const secret of [...this.#knownSecrets(), ...this.#signatures])
      if (text.includes(secret)) this.#break('no secret is logged', text)
    this.#countWarning(line)
    if (text.includes('a bug of the agent')) this.#break('the agent has no bug that it can see', text)
  }

  /** Signatures are not searched for: an envelope for a game client has one. */
  readonly onGiven = (_call: GivenCall, text: string): void => this.#checkGiven(text)
  readonly onStatusGiven = (status: Status): void => this.#checkGiven(JSON.stringify(status))
  /** A file of the spool has got its name. */
  readonly onRenamed = (_from: string, to: string): void => {
    if (ofAgent.test(to)) this.#checkGiven(this.#parts.textOf(to))
  }

  #checkGiven(text: string): void {
    for (const secret of this.#knownSecrets())
      if (text.includes(secret)) this.#break('no secret is given to anyone', text)
  }

  #knownSecrets(): ReadonlySet<string> {
    for (const secret of this.#parts.secrets()) this.#secrets.add(secret)
    return this.#secrets
  }

  #countWarning({ text, level, msg }: LoggedLine): void {
    if (level < 40) return
    const minute = Math.floor(this.#parts.nowMs() / minuteMs)
    if (minute !== this.#minute) this.#warnings.clear()
    this.#minute = minute
    const count = (this.#warnings.get(msg) ?? 0) + 1
    this.#warnings.set(msg, count)
    if (count === warningsPerMinuteMax) this.#break('a warning is not repeated without an end', text)
  }
}
