import { say } from '../language/say.ts'
import type { PlatformRoute } from './problem-of-failure.ts'
import { type PlatformProblem, problemTable } from './problem-table.ts'

/** What the platform answered to a signed call. */
export interface AnswerFacts {
  readonly status: number
  /** Whether the answer has the interface's form. */
  readonly isOnContract: boolean
  /** The platform's own words. */
  readonly words: string | undefined
  /** The clock that signed, compared with the `Date` of the answer. */
  readonly clock: 'right' | 'off' | 'not-known'
}

/** The way to the platform, and the key that signs. */
export interface SignedRoute extends PlatformRoute {
  readonly signer: () => { readonly kid: string; readonly fingerprint: string }
}

/**
 * What is wrong where the platform answered; undefined where the answer shows that calls go through. A 404 shows it only
 * if an earlier answer did: a wrong base address answers 404 to everything. Pure.
 */
export function problemOfAnswer(
  { status, isOnContract, words, clock }: AnswerFacts,
  { baseUrl, signer }: SignedRoute,
): PlatformProblem | undefined {
  const { host } = new URL(baseUrl)
  const quoted = quote(words)
  if (status === 401) {
    const { kid, fingerprint } = signer()
    return clock === 'right'
      ? { kind: 'credentials', ...problemTable.credentials(kid, fingerprint, quoted) }
      : { kind: 'clock', ...problemTable.clock(clockProblems[clock](), quoted) }
  }
  if (status >= 500) return { kind: 'server-error', ...problemTable['server-error'](host, status, quoted) }
  if (status === 404) return { kind: 'path', ...problemTable.path(baseUrl) }
  return isOnContract ? undefined : { kind: 'http', ...problemTable.http(host, `HTTP ${status}`) }
}

const clockProblems = {
  off: () => say`its Date changes so much that the clock of this host cannot be corrected`,
  'not-known': () => say`it sends no Date that the clock of this host could be compared with`,
} as const

/** What a clock means that is off by that much, where the agent corrects it. */
export function problemOfClock(offsetMs: number): PlatformProblem {
  const seconds = Math.round(Math.abs(offsetMs) / 1000)
  const direction = offsetMs > 0 ? 'behind' : 'ahead'
  return { kind: 'clock-corrected', ...problemTable['clock-corrected'](seconds, direction) }
}

/** Without anything that is as long as a key, a token or a signature. */
function quote(words: string | undefined): string {
  if (words === undefined) return ''
  const text = words
    .replace(/\p{Cc}+/gu, ' ')
    .replace(/[\w+/=.-]{24,}/g, '…')
    .slice(0, 200)
  return `: ${JSON.stringify(text)}`
}
