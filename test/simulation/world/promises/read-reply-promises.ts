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

/** A reply that comes too late is set aside. Only one that the agent has read is removed. */
export class ReadReplyPromises implements Partial<AgentWitness> {
  readonly #parts: ReadReplyParts
  /** When each event was written last, by name. A start removes those of orders that are over, with their replies. */
  readonly #shownMs = new Map<string, number>()
  /** What was in the replies when they were opened last, by path. */
  readonly #opened = new Map<string, string>()

  constructor(parts: ReadReplyParts) {
    this.#parts = parts
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
