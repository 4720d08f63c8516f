import type { Status } from '../../../../agent/status/status.ts'
import { operationNamed } from '../../../../contract/operations.ts'
import type { DiskFaults } from '../../disk/disk-faults.ts'
import type { ModelDatabase } from '../../stores/model-database.ts'
import type { Day } from '../day.ts'
import type { GivenCall } from '../witnessed.ts'
import type { ProcessParts } from './judge.ts'
import { isRepetition } from './repetition.ts'
import { SteadyDisk } from './steady-disk.ts'

/** Which process runs, and how often a fault of its disk has begun or ended. */
interface Moment {
  readonly startedMs: number
  readonly changes: number
}

interface RoomPromisesParts extends ProcessParts {
  readonly disk: DiskFaults
  readonly day: Day
  /** Undefined for an agent that shares its store. */
  readonly journal: Pick<ModelDatabase, 'commits'> | undefined
}

/** By then an agent has kept space free again after its disk was full. */
const roomKeptMs = 5_000
/** This many commits do not use up all of that. */
const commitsMin = 150
/** An agent without room looks for it each second. Its status says so soon after there is room. */
const roomFoundMsMax = 3_000
/** By then no timer of the storm is late any more. */
const timersLateMsMax = 20_000

/** The disk when a call arrived. */
interface Arrival extends Moment {
  readonly commits: number
  readonly hasRoomKept: boolean
}

/**
 * An agent that refuses calls because its disk is full is not ready, and refuses all that it must remember. Soon after
 * there is room it is ready again. It has kept space free for the answers to the calls that were under way.
 */
export class RoomPromises {
  readonly #parts: RoomPromisesParts
  /** When a call was refused because the disk was full. */
  #refused: Moment | undefined
  /** The same, because the journal had no room. The ledger uses none of what the journal has kept free. */
  #journalRefused: Moment | undefined
  readonly #takenWithoutRoom = new WeakSet<GivenCall>()
  readonly #arrivals = new WeakMap<GivenCall, Arrival>()
  readonly #steady: SteadyDisk
  /** How many calls with each id are under way, and since the start of which process. */
  readonly #underWay = new Map<string, { readonly startedMs: number; readonly count: number }>()

  constructor(parts: RoomPromisesParts) {
    this.#parts = parts
    this.#steady = new SteadyDisk(parts.disk, parts.nowMs)
  }

  /** A call arrives. */
  onTaken(call: GivenCall): void {
    const { nowMs, journal } = this.#parts
    const hasRoomKept = (this.#steady.look() ?? nowMs()) + roomKeptMs < nowMs()
    this.#arrivals.set(call, { ...this.#now, commits: journal?.commits ?? 0, hasRoomKept })
    // It may share the answer of one that had left before.
    if (this.#isFullSince(this.#journalRefused) && this.#countUnderWay(call) === 0) this.#takenWithoutRoom.add(call)
    this.#changeUnderWay(call, 1)
  }

  #countUnderWay({ id = '' }: GivenCall): number {
    const known = this.#underWay.get(id)
    return known?.startedMs === this.#parts.startedMs() ? known.count : 0
  }

  #changeUnderWay(call: GivenCall, by: 1 | -1): void {
    const count = this.#countUnderWay(call) + by
    if (call.id !== undefined) this.#underWay.set(call.id, { startedMs: this.#parts.startedMs(), count })
  }

  /** The agent answers a call. */
  onGiven(call: GivenCall, text: string): void {
    this.#changeUnderWay(call, -1)
    // In a shared store it is the store that has no room.
    if (this.#parts.journal && text.includes('"code":"JOURNAL_FULL"')) {
      this.#refused = this.#now
      if (isOnlyOfJournal(call)) this.#journalRefused = this.#now
    }
    if (text.includes('"code":"ANSWER_LOST"') && !isRepetition(text) && this.#hasRoomFor(call))
      this.#parts.break('the answer of a call under way is stored when the disk gets full', text)
    const isNew = text.startsWith('{"ok":true') && !isRepetition(text)
    if (isNew && mustBeStored(call) && this.#takenWithoutRoom.has(call) && this.#isFullSince(this.#journalRefused))
      this.#parts.break('an agent without room for answers makes no call whose answer it must remember', text)
  }

  /** The disk was healthy when the call arrived, and nothing has happened to it since but that it is full. */
  #hasRoomFor(call: GivenCall): boolean {
    const { disk, startedMs, journal } = this.#parts
    const arrival = this.#arrivals.get(call)
    if (!journal || !arrival?.hasRoomKept || arrival.startedMs !== startedMs()) return false
    const isOnlyFull = disk.changes === arrival.changes + 1 && disk.isFullAt('journal.db')
    return isOnlyFull && journal.commits < arrival.commits + commitsMin
  }

  /** The agent tells its status. */
  onStatusGiven({ ready, reasons, journal }: Pick<Status, 'ready' | 'reasons' | 'journal'>): void {
    const steadySinceMs = this.#steady.look() ?? this.#parts.nowMs()
    if (ready && this.#isFullSince(this.#refused))
      this.#parts.break('an agent whose disk is full is not ready', JSON.stringify(reasons))
    // A commit has found no room, perhaps that of an answer.
    if (!journal.writable && this.#parts.journal) this.#journalRefused = this.#now
    this.#checkRoomFound(reasons, steadySinceMs)
  }

  /** The journal and the ledger of an agent each have a reason of their own. */
  #checkRoomFound(reasons: readonly string[], steadySinceMs: number): void {
    const { journal, day, nowMs } = this.#parts
    const complaint = journal && reasons.find((reason) => reason.includes('cannot be written'))
    const fromMs = Math.max(steadySinceMs, day.stormEndedMs + timersLateMsMax) + roomFoundMsMax
    if (complaint !== undefined && nowMs() > fromMs) this.#parts.break('an agent finds the room on its disk', complaint)
  }

  /** Called at each look after the storm, so that it is known since when the disk is healthy. */
  check(): void {
    this.#steady.look()
  }

  /** The disk has been full since a call was refused for that. */
  #isFullSince(refused: Moment | undefined): boolean {
    return this.#isNow(refused) && this.#parts.disk.isFullAt('journal.db')
  }

  get #now(): Moment {
    return { startedMs: this.#parts.startedMs(), changes: this.#parts.disk.changes }
  }

  #isNow<Seen extends Moment>(moment: Seen | undefined): moment is Seen {
    return moment?.startedMs === this.#parts.startedMs() && moment.changes === this.#parts.disk.changes
  }
}

/** The agent looks for an answer under its id, and stores what it answers. */
function mustBeStored({ id, operation = '' }: GivenCall): boolean {
  const kind = operationNamed(operation)?.kind
  return id !== undefined && (kind === 'platform' || kind === 'envelope')
}

/** A stock is noted in the ledger too. */
function isOnlyOfJournal({ id, input = {} }: GivenCall): boolean {
  return id !== undefined && !('observedQuantity' in input)
}
