import { operationNamed, operations } from '../../contract/operations.ts'
import type { CallAnswer } from './answer.ts'
import type { Turn } from './turn.ts'

/** A call as the journal knows it. */
export interface JournalEntry {
  readonly fingerprint: string
  /** What every call with this id gets. A `once` call that was under way when the agent ended is in doubt. */
  readonly answer: CallAnswer
}

/** What identifies a call in the journal. */
export interface JournalledCall {
  readonly id: string
  readonly fingerprint: string
  readonly operationName: string
}

/** What a call finds when it claims its id. */
export type Claim =
  /** The id is the call's own, until the call ends with `recordAnswer` or `release`. */
  | { readonly kind: 'own' }
  /** An earlier call with the id was answered. */
  | ({ readonly kind: 'stored' } & JournalEntry)
  /** Another agent executes a call with the id. If that is an equal call, it has not ended by the deadline. */
  | { readonly kind: 'under-way'; readonly fingerprint: string }

/**
 * What the path of a call needs of a journal. The port is narrow, so that a store for several hosts can be put behind it.
 * Entries are deleted some time after their window has ended and their request is answered.
 *
 * Everything that resolves survives kill -9. Everything that does harm when it runs twice survives a power cut too: the
 * intent and the answer of a `once` call.
 */
export interface IdempotencyJournal {
  /** The name of this journal. A claim with another name was made by an agent with another journal. */
  readonly name: string
  /** For how long `findUnanswered` surely finds a request that was claimed: others may use its id after that. */
  readonly unansweredKeptMs: number
  /**
   * Claims the id of a call that is about to be executed, or finds the answer of an earlier one. The agent has no other call
   * under way with this id. If another agent has an equal one, this waits for its end.
   *
   * @param turn Of the call, so that a store for several hosts can claim both in one step.
   * @param deadlineMs Monotonic.
   * @throws {StoreUnreachableError} The call must not be sent.
   */
  claim(call: JournalledCall, turn: Turn, deadlineMs: number): Promise<Claim>
  /** The answer of an id, within its window. */
  find(id: string): Promise<JournalEntry | undefined>
  /** As `find`, also after the window: for a request that was claimed and never answered. */
  findUnanswered(id: string): Promise<JournalEntry | undefined>
  /**
   * Deletes an id whose window has ended. After a crash `findUnanswered` must not find an older call with the same id.
   *
   * @throws {StoreFullError} The older call is still there. The request must not be claimed under the name of this journal.
   */
  forgetEnded(id: string): Promise<void>
  /**
   * Prepares for a call that is about to be sent. Stores that a `once` call may have been sent from now on.
   *
   * @throws {StoreFullError} The answer could not be stored. The call must not be sent.
   * @throws {StoreUnreachableError} The same.
   */
  recordIntent(call: JournalledCall): Promise<void>
  /**
   * Stores an answer, in place of the intent of a `once` call.
   *
   * @param keepMs How long equal calls get it.
   * @param deadlineMs Of the call (monotonic). A store that is away may come back until then. Without a deadline this does
   * not wait for it.
   * @throws {StoreFullError} It could not be stored.
   * @throws {StoreUnreachableError} The same, until the deadline. After either error, equal calls of this agent get `uncertain`
   * for the window of the id, if it is a `once` call and the store is shared.
   */
  recordAnswer(call: JournalledCall, answer: CallAnswer, keepMs: number, deadlineMs?: number): Promise<void>
  /**
   * Starts the window of an answered `once` call again, because its caller gets the answer only now. Does nothing if the id has
   * another answer by now. Where the store is full or away, the window ends as before.
   */
  restartWindow(id: string, answer: CallAnswer): Promise<void>
  /**
   * The call ended with an answer that is not stored: its id is new again. Every call with an id that is executed ends with
   * `recordAnswer` or with this, so that a store for several hosts knows that it is over.
   */
  release(call: JournalledCall): Promise<void>
  /** Number of ids that it has, those whose window is over included. */
  count(): Promise<number>
  /** Closes the store. */
  close(): Promise<void>
}

/** The operations with which the platform acts each time that they are sent. */
export const onceOperationNames: readonly string[] = Object.entries(operations).flatMap(([name, operation]) =>
  operation.kind === 'platform' && operation.retry === 'once' ? [name] : [],
)

/** Whether the platform acts each time such a call is sent. */
export function isSentOnce({ operationName }: Pick<JournalledCall, 'operationName'>): boolean {
  return onceOperationNames.includes(operationName)
}

/** Whether it does harm to run a call again after a power cut. The game client may send each envelope that was signed. */
export function isHarmfulTwice(call: JournalledCall): boolean {
  return isSentOnce(call) || operationNamed(call.operationName)?.kind === 'envelope'
}
