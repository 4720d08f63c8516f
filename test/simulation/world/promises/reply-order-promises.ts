import type { Disk } from '../../disk/disk.ts'
import type { DiskFaults } from '../../disk/disk-faults.ts'
import type { ReplyFile } from '../game/call-agent.ts'
import type { LoggedLine } from '../witnessed.ts'
import type { Break } from './judge.ts'

interface ReplyOrderPromisesParts {
  readonly break: Break
  readonly disk: Pick<Disk, 'nowMs'>
  readonly diskFaults: Pick<DiskFaults, 'changes' | 'isHealthy'>
  readonly nowMs: () => number
}

interface WrittenReply extends ReplyFile {
  /** The time of the file: Unix ms. */
  readonly writtenMs: number
}

/** A reply whose observation the ledger has. */
interface TakenReply extends WrittenReply {
  readonly takenMs: number
  readonly diskChanges: number
}

/** Less than the 200 ms between two looks at the replies. A reply that cannot be taken yet waits for the next look, after newer ones. */
const oneLookMs = 150

/** The newest reply has the newest observation of an item, so replies that wait together are taken in the order of their times. */
export class ReplyOrderPromises {
  readonly #parts: ReplyOrderPromisesParts
  /** By transaction. */
  readonly #written = new Map<number, WrittenReply>()
  /** The last one of each item. */
  readonly #taken = new Map<string, TakenReply>()

  constructor(parts: ReplyOrderPromisesParts) {
    this.#parts = parts
  }

  /** The game server has written a reply. */
  readonly onWritten = (reply: ReplyFile): void => {
    this.#written.set(reply.transactionId, { ...reply, writtenMs: this.#parts.disk.nowMs })
  }

  /** The ledger has a reply. */
  readonly onLogged = ({ observedQuantity, transactionId = 0 }: LoggedLine): void => {
    const reply = this.#written.get(transactionId)
    if (!reply || typeof observedQuantity !== 'number') return
    const { nowMs, diskFaults } = this.#parts
    const before = this.#taken.get(reply.itemRef)
    this.#taken.set(reply.itemRef, { ...reply, takenMs: nowMs(), diskChanges: diskFaults.changes })
    // A file that could not be read is read in the next look.
    const isUndisturbed = diskFaults.isHealthy && before?.diskChanges === diskFaults.changes
    if (before && isUndisturbed && nowMs() - before.takenMs < oneLookMs && reply.writtenMs < before.writtenMs)
      this.#parts.break(
        'replies to orders of one item are taken in the order in which they were written',
        `${before.transactionId} before ${transactionId}`,
      )
  }
}
