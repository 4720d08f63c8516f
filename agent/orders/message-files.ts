import type { Message, Reply } from './message.ts'

/** What the name of a file says about its message. */
export type NamedMessage = Pick<Message, 'event' | 'transactionId' | 'generation' | 'name'>

/** Messages as files. Every method throws the errors of its files and remembers nothing. */
export interface MessageFiles {
  /** Makes `events/` and `replies/` if they are missing. @returns Whether `events/` was. */
  makeDirs(): boolean
  /** Removes the files that an agent was writing when it died. */
  removeUnfinished(): void
  /** What has a file in `events/`, from an earlier agent too. */
  events(): readonly NamedMessage[]
  /** What has a file in `replies/`, oldest first. */
  replies(): readonly NamedMessage[]
  /** @param actUntil ISO-8601; undefined where the message does not expire. */
  show(message: Message, actUntil: string | undefined): void
  /** The reply to a message, or why its file is not a reply yet. */
  readReply(message: NamedMessage): Reply | 'gone' | { readonly stamp: string; readonly problem: string }
  /** @returns Whether there was one. */
  setAside(name: string): boolean
  removeEvent(name: string): void
  removeReply(name: string): void
  /** Removes what was set aside before a moment (Unix ms). */
  removeRejectedBefore(beforeMs: number): void
}
