import type { AttemptResult } from '../../../../agent/platform/attempt-result.ts'
import type { Status } from '../../../../agent/status/status.ts'
import { operationNamed } from '../../../../contract/operations.ts'
import type { DiskFaults } from '../../disk/disk-faults.ts'
import type { GivenCall, SentRequest } from '../witnessed.ts'
import type { Break } from './judge.ts'
import { isRepetition } from './repetition.ts'
import { signatureOf } from './signature.ts'

/** Which process runs, and how often a fault of its disk has begun or ended. */
interface Moment {
  readonly startedMs: number
  readonly changes: number
}

export interface ReadyParts {
  readonly break: Break
  readonly disk: DiskFaults
  /** When the process that runs now was started. */
  readonly startedMs: () => number
  /** Whether the agent keeps its state on the disk. */
  readonly hasOwnStore: boolean
  readonly nowMs: () => number
}

/** What the attempts of one process have shown. Any answer counts, because a proxy may give one too. */
interface Contact {
  readonly startedMs: number
  readonly wasAnswered: boolean
  readonly hasFailed: boolean
  readonly answeredMs: number
}

/** How much later an attempt leaves than the agent thinks: it is signed first. */
const signedMsMax = 1_000

/** An agent whose disk is healthy says in at most this many statuses, one after another, that it cannot write its journal. */
const unwritableStatusesMax = 3

/**
 * An agent is ready only with proof: not before the platform has answered, not after an attempt without an answer, and not
 * while it refuses calls because its disk is full. Then it refuses what it must remember. Soon after there is room it is
 * ready again.
 */
export class ReadyPromises {
  readonly #parts: ReadyParts
  /** When a call was refused because the disk was full. */
  #refused: Moment | undefined
  readonly #takenWithoutRoom = new WeakSet<GivenCall>()
  /** Since when the agent says that it has no room, although its disk is healthy. */
  #withoutRoom: (Moment & { readonly statuses: number }) | undefined

  #known: Contact | undefined

  constructor(parts: ReadyParts) {
    this.#parts = parts
  }

  get #contact(): Contact {
    const startedMs = this.#parts.startedMs()
    const unknown = { startedMs, wasAnswered: false, hasFailed: false, answeredMs: Number.NEGATIVE_INFINITY }
    return this.#known?.startedMs === startedMs ? this.#known : unknown
  }

  /** A request leaves for the platform. @returns Called when the attempt has ended. */
  onSent({ headers }: SentRequest): (result: AttemptResult) => void {
    const { startedMs, nowMs } = this.#parts
    const [processMs, sentMs] = [startedMs(), nowMs()]
    return (result) => {
      const contact = this.#contact
      if (contact.startedMs !== processMs) return
      const isAnswered = result.kind === 'answered'
      // The answer to the question for the time, which is not signed, proves nothing.
      if (isAnswered && signatureOf(headers) !== undefined)
        this.#known = { startedMs: processMs, wasAnswered: true, hasFailed: false, answeredMs: nowMs() }
      // One that is older than the last answer says nothing about now.
      else if (!isAnswered && sentMs > contact.answeredMs + signedMsMax) this.#known = { ...contact, hasFailed: true }
    }
  }

  /** A call arrives. */
  onTaken(call: GivenCall): void {
    if (this.#isRefusing) this.#takenWithoutRoom.add(call)
  }

  /** The agent answers a call. */
  onGiven(call: GivenCall, text: string): void {
    if (text.includes('"code":"JOURNAL_FULL"')) this.#refused = this.#now
    // Another call may share the answer of one that had left before.
    const mustBeStored = call.id !== undefined && operationNamed(call.operation ?? '')?.kind === 'envelope'
    const isNew = text.startsWith('{"ok":true') && !isRepetition(text)
    if (mustBeStored && isNew && this.#takenWithoutRoom.has(call) && this.#isRefusing)
      this.#parts.break('an agent without room for answers signs no envelope that it must remember', text)
  }

  /** The agent tells its status. */
  onStatusGiven({ ready, reasons, journal }: Pick<Status, 'ready' | 'reasons' | 'journal'>): void {
    if (ready && !this.#contact.wasAnswered)
      this.#parts.break('an agent is ready only when the platform has answered it', JSON.stringify(reasons))
    if (ready && this.#contact.hasFailed)
      this.#parts.break('an agent whose last attempt had no answer is not ready', JSON.stringify(reasons))
    if (ready && this.#isRefusing)
      this.#parts.break('an agent whose disk is full is not ready', JSON.stringify(reasons))
    const isWithoutRoom = !journal.writable && this.#parts.disk.isHealthy && this.#parts.hasOwnStore
    const statuses = this.#isNow(this.#withoutRoom) ? this.#withoutRoom.statuses + 1 : 1
    this.#withoutRoom = isWithoutRoom ? { ...this.#now, statuses } : undefined
    if (isWithoutRoom && statuses > unwritableStatusesMax)
      this.#parts.break('an agent finds the room on its disk', JSON.stringify(reasons))
  }

  /** A call was refused because the disk was full, and it has been full since. */
  get #isRefusing(): boolean {
    return this.#isNow(this.#refused) && this.#parts.disk.isFull
  }

  get #now(): Moment {
    return { startedMs: this.#parts.startedMs(), changes: this.#parts.disk.changes }
  }

  #isNow<Seen extends Moment>(moment: Seen | undefined): moment is Seen {
    return moment?.startedMs === this.#parts.startedMs() && moment.changes === this.#parts.disk.changes
  }
}
