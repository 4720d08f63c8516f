import type { Status } from '../../../../agent/status/status.ts'
import type { DiskFaults } from '../../disk/disk-faults.ts'
import type { GivenCall } from '../witnessed.ts'
import type { Break } from './judge.ts'

/** Which process runs, and how often a fault of its disk has begun or ended. */
interface Moment {
  readonly startedMs: number
  readonly changes: number
}

export interface ReadyParts {
  readonly break: Break
  readonly disk: DiskFaults
  /** When the process that runs now was started. */
  readonly startedMs: () => number
  /** Whether the agent keeps its state on the disk. */
  readonly hasOwnStore: boolean
}

/** An agent whose disk is healthy says in at most this many statuses, one after another, that it cannot write its journal. */
const unwritableStatusesMax = 3

/** An agent is ready only with proof: not while it refuses calls because its disk is full, but soon after there is room. */
export class ReadyPromises {
  readonly #parts: ReadyParts
  /** When a call was refused because the disk was full. */
  #refused: Moment | undefined
  /** Since when the agent says that it has no room, although its disk is healthy. */
  #withoutRoom: (Moment & { readonly statuses: number }) | undefined

  constructor(parts: ReadyParts) {
    this.#parts = parts
  }

  /** The agent answers a call. */
  onGiven(_call: GivenCall, text: string): void {
    if (text.includes('"code":"JOURNAL_FULL"')) this.#refused = this.#now
  }

  /** The agent tells its status. */
  onStatusGiven({ ready, reasons, journal }: Pick<Status, 'ready' | 'reasons' | 'journal'>): void {
    if (ready && this.#isNow(this.#refused) && this.#parts.disk.isFull)
      this.#parts.break('an agent whose disk is full is not ready', JSON.stringify(reasons))
    const isWithoutRoom = !journal.writable && this.#parts.disk.isHealthy && this.#parts.hasOwnStore
    const statuses = this.#isNow(this.#withoutRoom) ? this.#withoutRoom.statuses + 1 : 1
    this.#withoutRoom = isWithoutRoom ? { ...this.#now, statuses } : undefined
    if (isWithoutRoom && statuses > unwritableStatusesMax)
      this.#parts.break('an agent finds the room on its disk', JSON.stringify(reasons))
  }

  get #now(): Moment {
    return { startedMs: this.#parts.startedMs(), changes: this.#parts.disk.changes }
  }

  #isNow<Seen extends Moment>(moment: Seen | undefined): moment is Seen {
    return moment?.startedMs === this.#parts.startedMs() && moment.changes === this.#parts.disk.changes
  }
}
