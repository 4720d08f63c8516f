import { causeOf, cureOf } from '../durable-files/system-errors.ts'
import type { LimitedLog } from '../log/limited-log.ts'
import type { Log } from '../log/log.ts'
import type { Message } from './message.ts'
import type { MessageFiles, NamedMessage } from './message-files.ts'

export interface OrderFilesOptions {
  /** Undefined without a spool. */
  readonly files: MessageFiles | undefined
  /** Whether messages are handed over as files. If not, only events that are left over are removed. */
  readonly isChannel: boolean
  readonly log: Pick<Log, 'warn'>
  readonly limitedLog: Pick<LimitedLog, 'warn'>
}

/** Messages as files that may fail: nothing throws, a problem is reported once, and what could not be removed is tried again. */
export class OrderFiles {
  readonly #options: OrderFilesOptions
  /**
   * Names whose files must still be removed. Undefined until `events/` was read: an earlier agent may have left some.
   */
  #leftOver: Set<string> | undefined
  #problem: string | undefined

  constructor(options: OrderFilesOptions) {
    this.#options = options
    if (!options.files) this.#leftOver = new Set()
  }

  /** Whether files cannot be used as they should. */
  get hasProblem(): boolean {
    return this.#problem !== undefined
  }

  /** Whether there may be something to be found. */
  get isWatched(): boolean {
    return this.#options.isChannel || this.#leftOver?.size !== 0
  }

  /**
   * Removes the files of messages that are not open: those of an earlier agent, and those that could not be removed
   * before.
   */
  tidy(isOpen: (named: NamedMessage) => boolean): void {
    const { isChannel } = this.#options
    this.#leftOver ??= this.#try((files) => {
      const names = files.events().filter((event) => !isChannel || !isOpen(event))
      return new Set(names.map(({ name }) => name))
    }, undefined)
    for (const name of this.#leftOver ?? []) if (this.#remove(name, isChannel)) this.#leftOver?.delete(name)
  }

  /** Makes what is missing. @returns Whether the events that were shown are gone with their directory. */
  makeDirs(): boolean {
    return this.#options.isChannel && this.#try((files) => files.makeDirs(), false)
  }

  /** What may be replies, oldest first. */
  replies(): readonly NamedMessage[] {
    return this.#options.isChannel ? this.#try((files) => files.replies(), []) : []
  }

  readReply(message: Message): ReturnType<MessageFiles['readReply']> {
    return this.#try((files) => files.readReply(message), 'gone')
  }

  /** @returns Whether the file is there. */
  show(message: Message, actUntil: string | undefined): boolean {
    return this.#try((files) => {
      files.show(message, actUntil)
      return true
    }, false)
  }

  /** Removes an event that must not be acted on, if it is there. Its reply stays. */
  removeEvent(message: Message | undefined): void {
    if (message) this.#remove(message.name, false)
  }

  /** Removes the event of a message that is over, and its reply. */
  remove({ name }: Message): void {
    if (!this.#remove(name, true)) this.#leftOver?.add(name)
  }

  setAside({ name }: NamedMessage, reason: string): void {
    if (!this.#leftOver?.has(name) && this.#try((files) => files.setAside(name), false))
      this.#options.limitedLog.warn({ name: `${name}.json`, reason }, 'reply set aside')
  }

  /** Removes replies that were set aside before a moment (Unix ms). */
  removeRejectedBefore(beforeMs: number): void {
    if (this.#options.isChannel) this.#try((files) => files.removeRejectedBefore(beforeMs), undefined)
  }

  /** @returns Whether its files are not there any more. */
  #remove(name: string, isWithReply: boolean): boolean {
    if (!this.#options.files) return true
    return this.#try((files) => {
      files.removeEvent(name)
      // After its event: a game server that finds the event answers it again, and that reply would have no event.
      if (isWithReply) files.removeReply(name)
      return true
    }, false)
  }

  #try<Result>(act: (files: MessageFiles) => Result, otherwise: Result): Result {
    const { files, log } = this.#options
    if (!files) return otherwise
    try {
      const result = act(files)
      this.#problem = undefined
      return result
    } catch (error) {
      const cause = causeOf(error as Error)
      const line = { cause, cure: cureOf(error as Error) }
      if (this.#problem !== cause) log.warn(line, 'orders cannot be handed over by files; it is tried again')
      this.#problem = cause
      return otherwise
    }
  }
}
