import type { CallAnswer } from '../call/answer.ts'

/** A call as the journal knows it. */
export interface JournalEntry {
  readonly fingerprint: string
  /** What everybody with this id gets. After a restart, that of a `once` call that was under way says it is in doubt. */
  readonly answer: CallAnswer
}

/** What identifies a call in the journal. */
export interface JournalledCall {
  readonly id: string
  readonly fingerprint: string
  readonly operationName: string
}

/**
 * What the agent remembers of ids. A narrow port, so that a store shared by several hosts can stand behind it. Entries
 * leave by themselves when their window has passed and their request is answered.
 */
export interface IdempotencyJournal {
  /** Names this journal: a claim that carries another name was made by an agent with another memory. */
  readonly name: string
  /** The answer of an id, while its window lasts. */
  find(id: string): Promise<JournalEntry | undefined>
  /** As `find`, whether or not the window has passed: for a request that was claimed and never answered. */
  findUnanswered(id: string): Promise<JournalEntry | undefined>
  /** Forgets an id whose window has passed, so that what is found after a crash is never an older call's. */
  forgetEnded(id: string): Promise<void>
  /**
   * Notes that a `once` call is about to leave. Resolves when that survives a power cut.
   *
   * @throws {JournalFullError} It could not be noted; the call must not leave.
   */
  recordIntent(call: JournalledCall): Promise<void>
  /**
   * Keeps an answer in place of the intent. Resolves when that survives a power cut.
   *
   * @param keepMs How long equal calls get it.
   * @throws {JournalFullError} It could not be kept.
   */
  recordAnswer(call: JournalledCall, answer: CallAnswer, keepMs: number): Promise<void>
  /** The call ended with an answer that is not kept: its id is new again. */
  release(id: string): Promise<void>
  /** Writes what is still to be written, and lets go of the store. */
  close(): Promise<void>
}

/** Nothing can be written now, most often for want of room. Nothing is damaged, and the next write may succeed. */
export class JournalFullError extends Error {
  override readonly name = 'JournalFullError'
}

/** The store cannot be used: damaged, of a newer version, of another program. It is left as it is. */
export class JournalUnusableError extends Error {
  override readonly name = 'JournalUnusableError'
}

/** What SQLite calls damage. A disk that fails looks the same to it, until the file is read to its end. */
export class JournalDamagedError extends JournalUnusableError {}
