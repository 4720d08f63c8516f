import type { CallAnswer } from '../call/answer.ts'

/** A call as the journal knows it. */
export interface JournalEntry {
  readonly fingerprint: string
  /**
   * `sending`: a `once` call was about to leave and nothing more is known. `answered`: the answer that everybody with
   * this id gets.
   */
  readonly state: { readonly kind: 'sending' } | { readonly kind: 'answered'; readonly answer: CallAnswer }
}

/**
 * What the agent remembers of ids. A narrow port, so that other stores can stand behind it. Entries leave by themselves
 * when their window has passed.
 */
export interface IdempotencyJournal {
  /** The entry whose window has not passed. */
  find(id: string): JournalEntry | undefined
  /**
   * Notes that a `once` call is about to leave.
   *
   * @throws {JournalError} It could not be noted; the call must not leave.
   */
  recordIntent(id: string, fingerprint: string, operationName: string): void
  /**
   * Keeps an answer in place of the intent.
   *
   * @param keepMs How long equal calls get it.
   */
  recordAnswer(id: string, fingerprint: string, operationName: string, answer: CallAnswer, keepMs: number): void
  /** The call ended with an answer that is not kept: its id is new again. */
  release(id: string): void
  close(): void
}

/** The journal could not be written. */
export class JournalError extends Error {
  override readonly name = 'JournalError'
}
