import type { SentRequest } from '../witnessed.ts'
import type { Break } from './judge.ts'
import { parseSignature } from './signature.ts'

const minuteMs = 60_000
/** How long an envelope of an attempt is valid: its timeout of 10 s, and 20 s. */
const lifetimeS = 30
/** Of one kind. The agent's own limit is 30, in minutes that begin at any time, and each process counts for itself. */
const warningsPerMinuteMax = 100

/**
 * What is true of all that leaves an agent: no jti twice (I7), no secret in a log (I8), no bug of its own (I10), and no
 * warning without an end.
 */
export class WirePromises {
  readonly #break: Break
  readonly #secrets: () => readonly string[]
  readonly #jtis = new Set<string>()
  readonly #nowMs: () => number
  #minute = 0
  /** How often each warning was logged in this minute. */
  readonly #warnings = new Map<string, number>()

  readonly #kid: () => string

  /** @param secrets What must never be logged. @param kid Of the key in use. */
  constructor(onBroken: Break, secrets: () => readonly string[], kid: () => string, nowMs: () => number) {
    this.#kid = kid
    this.#nowMs = nowMs
    this.#break = onBroken
    this.#secrets = secrets
  }

  readonly onSigned = (kid: string): void => {
    if (kid !== this.#kid()) this.#break('after a reload, requests are signed with the new key', kid)
  }

  /** An agent sends a request. */
  readonly onSent = ({ headers }: SentRequest): void => {
    const { jti, iat = 0, exp = 0 } = parseSignature(headers) ?? {}
    if (jti === undefined) return
    if (exp - iat !== lifetimeS) this.#break('an envelope of an attempt is valid for 30 s', String(exp - iat))
    if (this.#jtis.has(jti)) this.#break('no jti is sent twice', jti)
    this.#jtis.add(jti)
  }

  readonly onLogged = (line: string): void => {
    for (const secret of this.#secrets()) if (line.includes(secret)) this.#break('no secret is logged', line)
    this.#countWarning(line)
    if (line.includes('a bug of the agent')) this.#break('the agent has no bug that it can see', line)
  }

  #countWarning(line: string): void {
    const { level, msg } = JSON.parse(line) as { readonly level: number; readonly msg: string }
    if (level < 40) return
    const minute = Math.floor(this.#nowMs() / minuteMs)
    if (minute !== this.#minute) this.#warnings.clear()
    this.#minute = minute
    const count = (this.#warnings.get(msg) ?? 0) + 1
    this.#warnings.set(msg, count)
    if (count === warningsPerMinuteMax) this.#break('a warning is not repeated without an end', line)
  }
}
