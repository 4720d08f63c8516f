import type { AttemptResult } from '../../../../agent/platform/attempt-result.ts'
import type { Status } from '../../../../agent/status/status.ts'
import type { SentRequest } from '../sent-request.ts'
import { isOfPlatform, isRefusalOfPlatform } from './attempt-outcome.ts'
import type { ProcessParts } from './judge.ts'
import { isMixedUp } from './shown-transaction.ts'
import { signatureOf } from './signature.ts'

/** What the attempts of one process have shown. */
interface Contact {
  readonly startedMs: number
  /** When the platform last answered a signed request. */
  readonly answeredMs: number | undefined
  /** Whether an attempt that left after it had no answer, a failure, or a proxy's page. */
  readonly hasFailed: boolean
  /** When the platform last accepted a signed request. */
  readonly acceptedMs: number | undefined
  /** Whether an attempt that left after it was anything else. */
  readonly mayHaveProblem: boolean
}

const unauthorized = 401
const notFound = 404
/** How much later an attempt leaves than the agent thinks: it is signed first. */
const signedMsMax = 1_000

/** An agent is ready only when its last attempts show that calls go through, and it names a problem of the platform only if they do not. */
export class ContactPromises {
  readonly #parts: ProcessParts
  #known: Contact | undefined

  constructor(parts: ProcessParts) {
    this.#parts = parts
  }

  get #contact(): Contact {
    const startedMs = this.#parts.startedMs()
    if (this.#known?.startedMs === startedMs) return this.#known
    return { startedMs, answeredMs: undefined, hasFailed: false, acceptedMs: undefined, mayHaveProblem: false }
  }

  /** A request leaves for the platform. @returns Called when the attempt has ended. */
  onSent(request: SentRequest): (result: AttemptResult) => void {
    const { startedMs, nowMs } = this.#parts
    const [processMs, sentMs] = [startedMs(), nowMs()]
    // The answer to the question for the time, which is not signed, proves nothing.
    const isSigned = signatureOf(request.headers) !== undefined
    return (result) => {
      if (startedMs() !== processMs) return
      const contact = this.#contact
      const isOfAnother = isMixedUp(request, result)
      if (isSigned && isAccepted(result) && !isOfAnother)
        this.#known = { ...contact, ...answeredNow(), acceptedMs: nowMs(), mayHaveProblem: false }
      else {
        const mayHaveProblem = contact.mayHaveProblem || sentMs + 1 >= (contact.acceptedMs ?? 0)
        const sign = isOfAnother ? 'problem' : signOf(result)
        const isAnswered = isSigned && (sign === 'proof' || (sign === 'not-found' && contact.answeredMs !== undefined))
        // An attempt that is older than the last answer says nothing about now.
        const isNew = sentMs > (contact.answeredMs ?? 0) + signedMsMax
        const hasFailed = contact.hasFailed || (sign === 'problem' && isNew && (isSigned || result.kind === 'failed'))
        this.#known = { ...contact, hasFailed, ...(isAnswered && answeredNow()), mayHaveProblem }
      }
    }
    function answeredNow() {
      return { answeredMs: nowMs(), hasFailed: false }
    }
  }

  /** The agent tells its status. */
  onStatusGiven({ ready, reasons }: Pick<Status, 'ready' | 'reasons'>): void {
    const { answeredMs, hasFailed, acceptedMs, mayHaveProblem } = this.#contact
    if (ready && answeredMs === undefined)
      this.#parts.break('an agent is ready only when the platform has answered it', JSON.stringify(reasons))
    if (ready && hasFailed)
      this.#parts.break('an agent whose last attempt failed is not ready', JSON.stringify(reasons))
    const complaint = reasons.find(isAboutPlatform)
    if (complaint !== undefined && acceptedMs !== undefined && !mayHaveProblem)
      this.#parts.break('an agent whose calls go through says nothing against the platform', complaint)
  }
}

/**
 * What an attempt shows that was not accepted. A 404 says that the platform is there only if something else has shown that before.
 * A 401 may be about the clock, which the next attempt corrects.
 */
function signOf(result: AttemptResult): 'proof' | 'not-found' | 'problem' | 'nothing' {
  if (result.kind === 'failed') return 'problem'
  const { status } = result
  if (status === unauthorized) return 'nothing'
  if (status < 300) return isOfPlatform(result.body) ? 'proof' : 'problem'
  if (status >= 500 || !isRefusalOfPlatform(result.body)) return 'problem'
  return status === notFound ? 'not-found' : 'proof'
}

/** Whether a reason why an agent is not ready is about the way to the platform. */
export function isAboutPlatform(reason: string): boolean {
  return reason.includes('platform')
}

/** Whether the platform itself has accepted a request. */
function isAccepted(result: AttemptResult): boolean {
  if (result.kind !== 'answered' || result.status < 200 || result.status >= 300) return false
  return isOfPlatform(result.body)
}
