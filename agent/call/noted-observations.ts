import { StoreFullError } from '../database/store-errors.ts'
import { moveObservation, type Observation, type ObservationEvent, repairOf } from './observation.ts'
import type { EndReport, KnownObservations, ObservationsOptions, Recording } from './observations.ts'
import type { RepairJournal } from './repair-journal.ts'

/** A report with a stock, outside the turn of its item. */
interface ReportUnderWay {
  /** Whether something that may be older may have reached the platform after it. */
  wasCrossed: boolean
}

/** How soon a journal that was full is asked again. */
const noteAgainMs = 1_000

type Repair = NonNullable<ReturnType<typeof repairOf>>

/** What the journal has of an item, or gets by a write that is under way. */
interface Note {
  readonly repair: Repair | undefined
  readonly written: Promise<void>
}

/**
 * The observations of the only agent that has a journal. They are in its memory. The journal has what a restart must know:
 * which ones must be sent again.
 */
export class NotedObservations implements KnownObservations {
  readonly #journal: RepairJournal
  readonly #options: ObservationsOptions
  /** An item that is not here is as `#unknown` says. */
  readonly #observations = new Map<string, Observation>()
  /** By item. An item that is not here has no note. */
  readonly #notes = new Map<string, Note>()
  /** Items whose note found no room. */
  readonly #unnoted = new Set<string>()
  #cancelNoting: () => void = () => undefined
  #unknown: Observation = { at: 'quiet', lateUntilMs: 0 }
  #phase: 'new' | 'open' | 'closed' = 'new'
  #lookAt: (atMs: number) => void = () => undefined
  /** Reports under way, by item. */
  readonly #reports = new Map<string, Set<ReportUnderWay>>()

  constructor(journal: RepairJournal, options: ObservationsOptions) {
    this.#journal = journal
    this.#options = options
  }

  async begin(lookAt: (atMs: number) => void): Promise<void> {
    const { lifetimeMs } = this.#options
    const nowMs = this.#nowMs
    const lateMs = await this.#begin()
    this.#unknown = { at: 'quiet', lateUntilMs: nowMs + lateMs }
    for (const { itemRef, quantity, dueInMs } of await this.#journal.findRepairs()) {
      const repair = { quantity, lateUntilMs: nowMs + dueInMs }
      this.#notes.set(itemRef, { repair, written: Promise.resolve() })
      // The bounds are for a host's clock that was set back, and for an earlier repair that is still on its way.
      const lateUntilMs = nowMs + Math.max(lateMs, Math.min(dueInMs, lifetimeMs))
      this.#observations.set(itemRef, { at: 'due', quantity, lateUntilMs })
    }
    this.#phase = 'open'
    this.#lookAt = lookAt
  }

  async apply(itemRef: string, event: ObservationEvent, recording: Recording): Promise<Observation> {
    const before = this.#stateOf(itemRef)
    const state = moveObservation(before, event)
    this.#set(itemRef, state)
    const mayHaveArrived = event.kind === 'settle' || (event.kind === 'end' && event.effect !== 'none')
    if (mayHaveArrived) this.#noteCrossing(itemRef)
    try {
      if (recording !== 'in-memory') await this.#record(itemRef)
    } catch (error) {
      if (!(error instanceof StoreFullError)) throw error
      if (recording === 'must-be-stored') {
        this.#set(itemRef, before)
        throw error
      }
      this.#noteLater(itemRef)
    }
    return state
  }

  /** Nothing is noted: after a crash, or an end while it is under way, every item may be late. */
  async expectReport(itemRef: string): Promise<EndReport> {
    const state = this.#stateOf(itemRef)
    // The end of a call or repair that is under way says whether that may have arrived.
    const report: ReportUnderWay = { wasCrossed: state.at !== 'repairing' && state.lateUntilMs > this.#nowMs }
    const underWay = this.#reports.get(itemRef) ?? new Set()
    this.#reports.set(itemRef, underWay.add(report))
    return async (lateUntilMs, newest) => {
      if (newest !== undefined) {
        const kind = report.wasCrossed ? 'overwritten' : 'observe'
        await this.apply(itemRef, { kind, quantity: newest, nowMs: this.#nowMs }, 'if-possible')
      }
      if (lateUntilMs > 0) await this.apply(itemRef, { kind: 'expect-late', lateUntilMs }, 'if-possible')
      underWay.delete(report)
      this.#noteCrossing(itemRef)
      if (underWay.size === 0) this.#reports.delete(itemRef)
    }
  }

  async findDue(): Promise<readonly string[]> {
    const isDue = ([, state]: [string, Observation]) => state.at === 'due' && state.lateUntilMs <= this.#nowMs
    return [...this.#observations].filter(isDue).map(([itemRef]) => itemRef)
  }

  endRound(): void {
    for (const [itemRef, state] of this.#observations) this.#set(itemRef, state)
  }

  async close(): Promise<void> {
    this.#cancelNoting()
    try {
      // A start that failed says nothing about the process before it.
      if (this.#phase === 'open') await this.#endCleanly()
    } catch (error) {
      // On a full disk the next process expects more than there is.
      if (!(error instanceof StoreFullError)) throw error
    } finally {
      this.#phase = 'closed'
    }
  }

  /** @throws {StoreFullError} */
  async #endCleanly(): Promise<void> {
    // What the journal could not take while it was full.
    await Promise.all([...this.#observations.keys(), ...this.#unnoted].map((itemRef) => this.#record(itemRef)))
    const isClean = [this.#unknown, ...this.#observations.values()].every(
      (state) => state.at === 'due' || (state.at === 'quiet' && state.lateUntilMs <= this.#nowMs),
    )
    if (isClean && this.#reports.size === 0) await this.#journal.endCleanly()
  }

  get #nowMs(): number {
    return this.#options.clock.monotonicMs()
  }

  /** What has just ended may have reached the platform after the reports that are under way. */
  #noteCrossing(itemRef: string): void {
    for (const report of this.#reports.get(itemRef) ?? []) report.wasCrossed = true
  }

  async #begin(): Promise<number> {
    const { lifetimeMs } = this.#options
    try {
      return await this.#journal.begin(lifetimeMs)
    } catch (error) {
      if (!(error instanceof StoreFullError)) throw error
      // A full disk does not keep the agent from starting. It is not known what the last process left.
      return lifetimeMs
    }
  }

  #stateOf(itemRef: string): Observation {
    return this.#observations.get(itemRef) ?? this.#unknown
  }

  #set(itemRef: string, state: Observation): void {
    const isForgotten = state.at === 'quiet' && state.lateUntilMs <= this.#nowMs
    if (isForgotten && this.#unknown.lateUntilMs <= this.#nowMs) return void this.#observations.delete(itemRef)
    this.#observations.set(itemRef, state)
    // When it is due, or can be forgotten.
    if (state.at === 'due') this.#lookAt(state.lateUntilMs)
    if (state.at === 'quiet') this.#lookAt(Math.max(state.lateUntilMs, this.#unknown.lateUntilMs))
  }

  /** This process knows better than its journal until there is room, also if nothing follows about the item. */
  #noteLater(itemRef: string): void {
    this.#unnoted.add(itemRef)
    this.#cancelNoting()
    this.#cancelNoting = this.#options.clock.after(noteAgainMs, () => void this.#noteAgain())
  }

  async #noteAgain(): Promise<void> {
    for (const itemRef of this.#unnoted) {
      // Before the write ends, because meanwhile a newer note may find no room.
      this.#unnoted.delete(itemRef)
      try {
        await this.#record(itemRef)
      } catch (error) {
        if (error instanceof StoreFullError) return this.#noteLater(itemRef)
        this.#options.onError(error)
      }
    }
  }

  /** Makes the journal say what this process knows. Resolves when it does, also if an equal write is under way. */
  async #record(itemRef: string): Promise<void> {
    if (this.#phase === 'closed') return
    const repair = repairOf(this.#stateOf(itemRef))
    const known = this.#notes.get(itemRef)
    if (isSameRepair(known?.repair, repair)) return known?.written
    // Before the write ends, because another one may follow meanwhile. The journal makes them in this order.
    const note: Note = { repair, written: this.#write(itemRef, repair) }
    this.#notes.set(itemRef, note)
    const isLast = () => this.#notes.get(itemRef) === note
    try {
      await note.written
      if (!repair && isLast()) this.#notes.delete(itemRef)
    } catch (error) {
      // Nothing was written.
      if (isLast()) this.#putBack(itemRef, known)
      throw error
    }
  }

  #putBack(itemRef: string, note: Note | undefined): void {
    if (note) this.#notes.set(itemRef, note)
    else this.#notes.delete(itemRef)
  }

  #write(itemRef: string, repair: Repair | undefined): Promise<void> {
    if (!repair) return this.#journal.removeRepair(itemRef)
    const { quantity, lateUntilMs } = repair
    return this.#journal.noteRepair({ itemRef, quantity, dueInMs: lateUntilMs - this.#nowMs })
  }
}

function isSameRepair(known: Repair | undefined, repair: Repair | undefined): boolean {
  return known?.quantity === repair?.quantity && known?.lateUntilMs === repair?.lateUntilMs
}
