import type { AttemptResult } from '../../../../agent/platform/attempt-result.ts'
import type { Status } from '../../../../agent/status/status.ts'
import type { SentRequest } from '../witnessed.ts'
import { isOfPlatform } from './attempt-outcome.ts'
import type { Break } from './judge.ts'
import { signatureOf } from './signature.ts'

interface ContactPromisesParts {
  readonly break: Break
  /** When the process that runs now was started. */
  readonly startedMs: () => number
  readonly nowMs: () => number
}

/** What the attempts of one process have shown. */
interface Contact {
  readonly startedMs: number
  /** When the last answer to a signed request came. Any answer counts, because a proxy may give one too. */
  readonly answeredMs: number | undefined
  /** Whether an attempt that left after it had no answer. */
  readonly hasFailed: boolean
  /** When the platform last accepted a signed request. */
  readonly acceptedMs: number | undefined
  /** Whether an attempt that left after it was anything else. */
  readonly mayHaveProblem: boolean
}

/** How much later an attempt leaves than the agent thinks: it is signed first. */
const signedMsMax = 1_000

/** An agent is ready only when its last attempts show that calls go through, and it names a problem of the platform only if they do not. */
export class ContactPromises {
  readonly #parts: ContactPromisesParts
  #known: Contact | undefined

  constructor(parts: ContactPromisesParts) {
    this.#parts = parts
  }

  get #contact(): Contact {
    const startedMs = this.#parts.startedMs()
    if (this.#known?.startedMs === startedMs) return this.#known
    return { startedMs, answeredMs: undefined, hasFailed: false, acceptedMs: undefined, mayHaveProblem: false }
  }

  /** A request leaves for the platform. @returns Called when the attempt has ended. */
  onSent({ headers }: SentRequest): (result: AttemptResult) => void {
    const { startedMs, nowMs } = this.#parts
    const [processMs, sentMs] = [startedMs(), nowMs()]
    // The answer to the question for the time, which is not signed, proves nothing.
    const isSigned = signatureOf(headers) !== undefined
    return (result) => {
      if (startedMs() !== processMs) return
      const contact = this.#contact
      if (isSigned && isAccepted(result))
        this.#known = { ...contact, ...answeredNow(), acceptedMs: nowMs(), mayHaveProblem: false }
      else {
        const mayHaveProblem = contact.mayHaveProblem || sentMs + 1 >= (contact.acceptedMs ?? 0)
        const isAnswered = isSigned && result.kind === 'answered'
        // An attempt that is older than the last answer says nothing about now.
        const isNew = sentMs > (contact.answeredMs ?? 0) + signedMsMax
        const hasFailed = contact.hasFailed || (result.kind === 'failed' && isNew)
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
      this.#parts.break('an agent whose last attempt had no answer is not ready', JSON.stringify(reasons))
    const complaint = reasons.find(isAboutPlatform)
    if (complaint !== undefined && acceptedMs !== undefined && !mayHaveProblem)
      this.#parts.break('an agent whose calls go through says nothing against the platform', complaint)
  }
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
