import { basename } from 'node:path'
import type { Disk } from '../../disk/disk.ts'
import type { DiskFaults } from '../../disk/disk-faults.ts'
import type { AgentWitness } from '../witnessed.ts'
import type { ProcessParts } from './judge.ts'

interface ReadReplyParts extends ProcessParts {
  readonly disk: Disk
  readonly diskFaults: Pick<DiskFaults, 'failedCalls'>
  readonly spool: string
}

/** A reply that comes too late is set aside. Only one that the agent has read is removed. None answers a later message. */
export class ReadReplyPromises implements Partial<AgentWitness> {
  readonly #parts: ReadReplyParts
  /** When each event was written last, by name. A start removes those of orders that are over, with their replies. */
  readonly #shownMs = new Map<string, number>()
  /** The messages that were written last, by the names of their files, without the time until which they may be acted on. */
  readonly #messages = new Map<string, string>()
  /** What was in the replies when they were opened last, by path. */
  readonly #opened = new Map<string, string>()

  constructor(parts: ReadReplyParts) {
    this.#parts = parts
  }

  /** A file is about to get its name. A second end of a transaction has the name of the first one. */
  onRenaming(from: string, to: string): void {
    const { disk, spool } = this.#parts
    if (!to.startsWith(`${spool}/events/`) || disk.find(from, 'rename')?.kind !== 'file') return
    const name = basename(to)
    const message = disk.textOf(from).replace(/,?"actUntil":"[^"]*"/, '')
    const before = this.#messages.get(name) ?? message
    this.#messages.set(name, message)
    if (message !== before && this.#replyIn(`${spool}/replies/${name}`) !== undefined)
      this.#parts.break('a message is not shown with a reply to an earlier one of its name', name)
  }

  onRenamed(_from: string, to: string): void {
    if (to.startsWith(`${this.#parts.spool}/events/`)) this.#shownMs.set(basename(to), this.#parts.nowMs())
  }

  onOpening(path: string): void {
    const text = this.#replyIn(path)
    if (text !== undefined) this.#opened.set(path, text)
  }

  onRemoving(path: string): void {
    const { startedMs, diskFaults } = this.#parts
    const text = this.#replyIn(path)
    const isShown = (this.#shownMs.get(basename(path)) ?? Number.NEGATIVE_INFINITY) >= startedMs()
    // An offer whose earlier event could not be removed begins without the reply to that one.
    if (text === undefined || !isShown || diskFaults.failedCalls.has('unlink')) return
    if (text.endsWith('}') && this.#opened.get(path) !== text)
      this.#parts.break('a reply is removed only after it was read', path)
  }

  #replyIn(path: string): string | undefined {
    const { disk, spool } = this.#parts
    if (!path.startsWith(`${spool}/replies/`)) return undefined
    return disk.find(path, 'open')?.kind === 'file' ? disk.textOf(path) : undefined
  }
}
