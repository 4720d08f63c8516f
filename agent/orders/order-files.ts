import { dirname } from 'node:path'
import { causeOf, codeOf, cureOf } from '../durable-files/system-errors.ts'
import type { LimitedLog } from '../log/limited-log.ts'
import type { Message } from './message.ts'
import type { MessageFiles, NamedMessage } from './message-files.ts'

export interface OrderFilesOptions {
  /** Undefined without a spool. */
  readonly files: MessageFiles | undefined
  /** Whether messages are handed over as files. If not, only events that are left over are removed. */
  readonly isChannel: boolean
  readonly limitedLog: Pick<LimitedLog, 'warn'>
}

/** The most names in `agent.json`, so that a program with a small buffer can read it. */
const listedMax = 100

/** Messages as files that may fail: nothing throws, a problem is reported once, and what could not be removed is tried again. */
export class OrderFiles {
  readonly #options: OrderFilesOptions
  /**
   * Names whose files must still be removed, and whether their replies go too. Undefined until `events/` was read: an earlier agent
   * may have left some.
   */
  #leftOver: Map<string, boolean> | undefined
  /** The messages that have a file in `events/`, as far as the agent knows, by name. */
  readonly #shown = new Map<string, NamedMessage>()
  /** Kinds of problems, in the last whole look at the files and since. */
  #problems = { before: new Set<string>(), now: new Set<string>() }
  /** Messages whose file could not be written, and the kind of problem. They are tried again less often than files are looked at. */
  readonly #unshown = new Map<string, string>()

  constructor(options: OrderFilesOptions) {
    this.#options = options
    if (!options.files) this.#leftOver = new Map()
  }

  /** Whether files cannot be used as they should. */
  get hasProblem(): boolean {
    return this.#problems.before.size + this.#problems.now.size + this.#unshown.size > 0
  }

  /** Whether there may be something to be found. */
  get isWatched(): boolean {
    return this.#options.isChannel || this.#leftOver?.size !== 0
  }

  /**
   * Begins a look at the files: removes those of messages that are not open, which an earlier agent left, or which could
   * not be removed before.
   */
  tidy(isOpen: (named: NamedMessage) => boolean): void {
    const { isChannel } = this.#options
    this.#problems = { before: this.#problems.now, now: new Set() }
    this.#leftOver ??= this.#try((files) => {
      files.removeUnfinished()
      const events = files.events()
      if (isChannel) for (const event of events) this.#shown.set(event.name, event)
      const names = events.filter((event) => !isChannel || !isOpen(event))
      return new Map(names.map(({ name }) => [name, isChannel]))
    }, undefined)
    for (const [name, isWithReply] of this.#leftOver ?? [])
      if (this.#remove(name, isWithReply)) this.#leftOver?.delete(name)
  }

  /** Makes what is missing. @returns Whether the events that were shown are gone with their directory. */
  makeDirs(): boolean {
    const isGone = this.#options.isChannel && this.#try((files) => files.makeDirs(), false)
    if (isGone) this.#shown.clear()
    return isGone
  }

  /** The names of the files in `events/`: at most 100, orders before ends, the oldest transactions first. */
  listEvents(): readonly string[] {
    const { orders = [], ends = [] } = Object.groupBy(this.#shown.values(), ({ event }) =>
      event === 'transfer_order' ? 'orders' : 'ends',
    )
    const byAge = (one: NamedMessage, other: NamedMessage) => one.transactionId - other.transactionId
    const events = [...orders.toSorted(byAge), ...ends.toSorted(byAge)]
    return events.slice(0, listedMax).map(({ name }) => `${name}.json`)
  }

  /** What may be replies, oldest first. */
  replies(): readonly NamedMessage[] {
    return this.#options.isChannel ? this.#try((files) => files.replies(), []) : []
  }

  readReply(message: NamedMessage): ReturnType<MessageFiles['readReply']> {
    return this.#try((files) => files.readReply(message), 'gone')
  }

  /** @returns Whether the file is there. */
  show(message: Message, actUntil: string | undefined): boolean {
    const { name } = message
    // What could not be removed is an earlier message of this name. A reply to that one must not count.
    if (this.#leftOver?.has(name) && !this.#remove(name, true)) return false
    this.#leftOver?.delete(name)
    return this.#try(
      (files) => {
        files.show(message, actUntil)
        this.#unshown.delete(name)
        this.#shown.set(name, message)
        return true
      },
      false,
      (kind) => this.#unshown.set(name, kind),
    )
  }

  /** Removes an event that must not be acted on, if it is there. Its reply stays. */
  removeEvent(message: Message | undefined): void {
    if (!message) return
    this.#unshown.delete(message.name)
    this.#remove(message.name, false)
  }

  /** Removes the event of a message that is over. @param isReplyRead Then its reply goes too. Another one is still to be read. */
  remove({ name }: Message, isReplyRead: boolean): void {
    this.#unshown.delete(name)
    if (!this.#remove(name, isReplyRead)) this.#leftOver?.set(name, isReplyRead)
  }

  /** @returns Whether it is not there any more. */
  setAside({ name }: NamedMessage, reason: string): boolean {
    if (this.#leftOver?.has(name)) return false
    return this.#try((files) => {
      if (files.setAside(name)) this.#options.limitedLog.warn({ name: `${name}.json`, reason }, 'reply set aside')
      return true
    }, false)
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
      this.#shown.delete(name)
      // After its event: a game server that finds the event answers it again, and that reply would have no event.
      if (isWithReply) files.removeReply(name)
      return true
    }, false)
  }

  #try<Result>(act: (files: MessageFiles) => Result, otherwise: Result, onProblem?: (kind: string) => void): Result {
    const { files, limitedLog } = this.#options
    if (!files) return otherwise
    try {
      return act(files)
    } catch (error) {
      const cause = causeOf(error as Error)
      const kind = kindOf(error as NodeJS.ErrnoException)
      const { before, now } = this.#problems
      const isKnown = before.has(kind) || now.has(kind) || [...this.#unshown.values()].includes(kind)
      if (!isKnown)
        limitedLog.warn(
          { cause, cure: cureOf(error as Error) },
          'orders cannot be handed over by files; it is tried again',
        )
      now.add(kind)
      onProblem?.(kind)
      return otherwise
    }
  }
}

/** Of a problem that is logged once: without the name of the file, which may be another one each time. */
function kindOf(error: NodeJS.ErrnoException): string {
  const { syscall, path } = error
  return path === undefined ? causeOf(error) : `${codeOf(error)} ${syscall} ${dirname(path)}`
}
