import type { Message, Reply } from './message.ts'

/** Messages as files. Every method throws what its files do, and remembers nothing. */
export interface MessageFiles {
  /** Names of messages that have a file in `events/`, those of an earlier agent included. */
  leftOver(): readonly Message[]
  /** Names in `replies/`, oldest first. */
  replies(): readonly string[]
  /** @param actUntil ISO-8601; undefined where the message does not expire. */
  show(message: Message, actUntil: string | undefined): void
  /** The reply to a message, or why its file is none yet. */
  readReply(message: Message): Reply | 'gone' | { readonly stamp: string; readonly problem: string }
  /** @returns Whether there was one. */
  setAside(name: string): boolean
  removeEvent(name: string): void
  /** Removes the event and its reply. */
  remove(name: string): void
  /** Removes what was set aside before a moment (Unix ms). */
  removeRejectedBefore(beforeMs: number): void
}
