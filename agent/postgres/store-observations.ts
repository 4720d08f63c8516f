import { keyOfItem } from '../call/call.ts'
import { moveObservation, type Observation, type ObservationEvent, repairOf } from '../call/observation.ts'
import type { EndReport, KnownObservations, Recording } from '../call/observations.ts'
import type { Clock } from '../clock/clock.ts'
import { ignoreStoreFailure, isStoreFailure } from '../database/store-errors.ts'
import type { Database } from './database.ts'
import type { OwedWrites } from './owed-writes.ts'
import { itemOfRow, noteLongItem, storableKey } from './storable.ts'
import { nameOfKey, type StoreTurns } from './store-turns.ts'

/** What observations in the store work with. */
export interface StoreObservationsOptions {
  readonly database: Database
  readonly clock: Clock
  readonly epoch: string
  readonly owed: OwedWrites
  readonly turns: StoreTurns
}

/** Between two looks for repairs that are due. Any agent makes them. */
const lookMs = 3_000
const repairsMax = 100

/** An item whose turn this agent has, from `leave` or `repair` to the end. */
interface Held {
  readonly state: Observation
  /** What the store has. */
  readonly stored: Observation
  readonly version: string | undefined
}

/**
 * What all agents that share a store know about items. A row comes with the turn of its item, and only the agent that has
 * the turn changes it, except for observations that the platform got by another way.
 */
export class StoreObservations implements KnownObservations {
  readonly #options: StoreObservationsOptions
  readonly #held = new Map<string, Held>()
  #lookAt: (atMs: number) => void = () => undefined

  constructor(options: StoreObservationsOptions) {
    this.#options = options
  }

  async begin(lookAt: (atMs: number) => void): Promise<void> {
    this.#lookAt = lookAt
  }

  async apply(itemRef: string, event: ObservationEvent, recording: Recording): Promise<Observation> {
    switch (event.kind) {
      case 'leave':
      case 'repair':
        return this.#hold(itemRef, event, recording)
      case 'observe':
      case 'overwritten':
      case 'expect-late':
        return this.#changeFromOutside(itemRef, event)
      case 'end':
      case 'settle':
      case 'postpone':
        return this.#giveBack(itemRef, event)
    }
  }

  async expectReport(itemRef: string, lateUntilMs: number): Promise<EndReport> {
    const { database, epoch } = this.#options
    const key = storableKey(keyOfItem(itemRef))
    await this.#noteLong(itemRef)
    const sql = 'SELECT * FROM market_agent.expect_report($1, $2, $3)'
    const [note] = await database.query(sql, [epoch, key, this.#restMs({ lateUntilMs })])
    const { version, added_ms } = note ?? {}
    const versionOfOnly = added_ms === null ? String(version) : undefined
    return async (endedLateUntilMs, newest) => {
      if (newest !== undefined)
        await this.#changeFromOutside(itemRef, { kind: 'observe', quantity: newest, nowMs: this.#nowMs }, versionOfOnly)
      if (endedLateUntilMs > 0)
        await this.#changeFromOutside(itemRef, { kind: 'expect-late', lateUntilMs: endedLateUntilMs })
      else {
        const forget = 'SELECT market_agent.forget_report($1, $2, $3, $4)'
        await this.#storeOrOwe(key, () => database.query(forget, [epoch, key, version, added_ms]))
      }
    }
  }

  async findDue(): Promise<readonly string[]> {
    try {
      const rows = await this.#options.database.query(
        `SELECT key, long_item.name AS long_item
           FROM market_agent.repair LEFT JOIN market_agent.long_item ON key = $2 || short
           WHERE quantity IS NOT NULL AND due_at_ms <= market_agent.steady_ms() ORDER BY due_at_ms LIMIT $1`,
        [repairsMax, keyOfItem('')],
      )
      return rows.flatMap((row) => itemOfRow(row) ?? [])
    } catch (error) {
      if (!isStoreFailure(error)) throw error
      return []
    }
  }

  endRound(): void {
    this.#lookAt(this.#nowMs + lookMs)
  }

  async close(): Promise<void> {
    // Everything that may arrive late is in the store.
  }

  get #nowMs(): number {
    return this.#options.clock.monotonicMs()
  }

  /** The turn has come, and with it what others left. */
  async #hold(itemRef: string, event: ObservationEvent, recording: Recording): Promise<Observation> {
    const { quantity, lateUntilMs, version } = this.#options.turns.lateOf(keyOfItem(itemRef))
    const stored: Observation =
      quantity === undefined ? { at: 'quiet', lateUntilMs } : { at: 'due', quantity, lateUntilMs }
    const state = moveObservation(stored, event)
    // Another agent was first, and nothing follows.
    if (event.kind === 'repair' && state.at !== 'repairing') return state
    const held = { state, stored, version }
    if (recording === 'in-memory') this.#held.set(itemRef, held)
    else this.#held.set(itemRef, await this.#storeLeaving(itemRef, held))
    return state
  }

  /** The quantity of a call that leaves is the newest, whatever the store got meanwhile. */
  async #storeLeaving(itemRef: string, held: Held): Promise<Held> {
    const { database, epoch, owed } = this.#options
    const { state, stored } = held
    if (state.at !== 'sending') return this.#store(itemRef, held)
    const before = stored.at === 'due' ? stored.quantity : undefined
    const key = storableKey(keyOfItem(itemRef))
    const sql = 'SELECT market_agent.take_back_newest($1, $2, $3, $4)'
    // The call is refused, so its quantity must not be sent later.
    const takeBack = () => database.query(sql, [epoch, key, state.quantity, before])
    return owed.ask(
      () => this.#store(itemRef, held, true),
      () => owed.owe(nameOfKey(key), takeBack),
    )
  }

  async #giveBack(itemRef: string, event: ObservationEvent): Promise<Observation> {
    const held = this.#held.get(itemRef)
    // Its turn did not come, so nothing has changed. A call of this agent may have the turn that a repair has not.
    if (!held || (held.state.at === 'sending') !== (event.kind === 'end')) return { at: 'quiet', lateUntilMs: 0 }
    this.#held.delete(itemRef)
    const state = moveObservation(held.state, event)
    const key = storableKey(keyOfItem(itemRef))
    await this.#storeOrOwe(key, () => this.#store(itemRef, { ...held, state }))
    return state
  }

  /**
   * The agent that has the turn, if there is one, finds the change when it gives the turn back.
   *
   * @param version Of the note of a report. While the row has only this, nothing older than the report can arrive late.
   */
  async #changeFromOutside(
    itemRef: string,
    event: Extract<ObservationEvent, { kind: 'observe' | 'overwritten' | 'expect-late' }>,
    version?: string,
  ): Promise<Observation> {
    const { database, epoch } = this.#options
    const held = this.#held.get(itemRef)
    const state = moveObservation(held?.state ?? { at: 'quiet', lateUntilMs: 0 }, event)
    if (held) this.#held.set(itemRef, { ...held, state })
    const key = storableKey(keyOfItem(itemRef))
    const write = async (statement: string, ...values: readonly unknown[]) => {
      await this.#noteLong(itemRef)
      return database.query(`SELECT market_agent.${statement}`, [epoch, key, ...values])
    }
    const sendAgain = (isNewest: boolean, quantity: number) =>
      write('note_late($1, $2, $3, 0, NULL, $4)', quantity, isNewest)
    switch (event.kind) {
      case 'observe': {
        const observe = () => write('observe($1, $2, $3, $4)', event.quantity, version)
        // When the store is back, what was late may have arrived, and the note about it may be gone.
        await this.#storeOrOwe(key, observe, () => sendAgain(false, event.quantity))
        break
      }
      case 'overwritten':
        await this.#storeOrOwe(key, () => sendAgain(true, event.quantity))
        break
      case 'expect-late':
        await this.#storeOrOwe(key, () => write('expect_late($1, $2, $3)', this.#restMs(event)))
    }
    return state
  }

  /** A call that was sent has an answer, whatever the store says. @param later As in `OwedWrites.write`. */
  async #storeOrOwe(key: string, write: () => Promise<unknown>, later = write): Promise<void> {
    await this.#options.owed.write(nameOfKey(key), write, later).catch(ignoreStoreFailure)
  }

  /** Makes the store say what this agent knows, if that is not so. */
  async #store(itemRef: string, held: Held, isNewest = false): Promise<Held> {
    const { database, epoch } = this.#options
    const { state, stored, version } = held
    const key = storableKey(keyOfItem(itemRef))
    const next = toStore(state, this.#nowMs)
    const now = toStore(stored, this.#nowMs)
    const isKnown = next?.quantity === now?.quantity && next?.lateUntilMs === now?.lateUntilMs
    if (isKnown && !(isNewest && next)) return held
    if (!next) {
      if (version !== undefined) await this.#forgetLate(key, version)
      return { ...held, stored: { at: 'quiet', lateUntilMs: 0 }, version: undefined }
    }
    await this.#noteLong(itemRef)
    const values = [epoch, key, next.quantity, this.#restMs(next), version, isNewest]
    const [row] = await database.query('SELECT market_agent.note_late($1, $2, $3, $4, $5, $6) AS version', values)
    const { quantity, lateUntilMs } = next
    const after: Observation =
      quantity === undefined ? { at: 'quiet', lateUntilMs } : { at: 'due', quantity, lateUntilMs }
    return { ...held, stored: after, version: String(row?.['version']) }
  }

  #forgetLate(key: string, version: string): Promise<unknown> {
    const { database, epoch } = this.#options
    return database.query('SELECT market_agent.forget_late($1, $2, $3)', [epoch, key, version])
  }

  #noteLong(itemRef: string): Promise<void> {
    return noteLongItem((sql, values) => this.#options.database.query(sql, values), itemRef)
  }

  #restMs({ lateUntilMs }: { readonly lateUntilMs: number }): number {
    return Math.ceil(lateUntilMs - this.#nowMs)
  }
}

/** The row of a state; undefined for one that needs none. */
function toStore(state: Observation, nowMs: number) {
  const repair = repairOf(state)
  if (repair) return repair
  return state.at === 'quiet' && state.lateUntilMs > nowMs
    ? { quantity: undefined, lateUntilMs: state.lateUntilMs }
    : undefined
}
