import { KeyQueues } from '../call/key-queues.ts'
import type { Turn, Turns } from '../call/turn.ts'
import type { Clock } from '../clock/clock.ts'
import { Bell } from './bell.ts'
import type { Database } from './database.ts'
import type { OwedWrites } from './owed-writes.ts'
import type { Row } from './session.ts'
import { storableKey } from './storable.ts'

/** What may arrive late of a key. Times are monotonic. */
export interface Late {
  /** What is sent again then. */
  readonly quantity: number | undefined
  readonly lateUntilMs: number
  /** Of the row in the store; undefined where there is none. */
  readonly version: string | undefined
  /** Whether there are orders of the key's item. */
  readonly hasOrders: boolean
}

const nothingLate: Late = { quantity: undefined, lateUntilMs: 0, version: undefined, hasOrders: false }

/** Under this name everything is owed that must be done before another call has the turn of a key. */
export function nameOfKey(key: string): string {
  return `key ${key}`
}

/** What turns in the store work with. */
export interface StoreTurnsOptions {
  readonly database: Database
  readonly clock: Clock
  readonly epoch: string
  readonly owed: OwedWrites
}

/**
 * The turns of all agents that share a store. The calls of one agent form a queue in its memory, and only the first of a
 * queue has a ticket in the store. So calls of one agent never overtake each other.
 */
export class StoreTurns implements Turns {
  readonly #options: StoreTurnsOptions
  readonly #queues: KeyQueues
  /** By key, the ends of turns that are being written. */
  readonly #leaving = new Map<string, Promise<void>>()
  /**
   * What is known about late observations of the keys whose turn this agent has. It has a turn until its end is written, so
   * that no other agent has the turn before everything that is owed under its key is written too.
   */
  readonly #late = new Map<string, Late>()

  constructor(options: StoreTurnsOptions) {
    this.#options = options
    this.#queues = new KeyQueues(options.clock)
  }

  get waiting(): number {
    return this.#queues.waiting
  }

  /** The keys whose turn this agent has. */
  get underWay(): readonly string[] {
    return [...this.#late.keys()]
  }

  take(key: string, when: 'join-now' | 'join-later'): StoreTurn {
    return new StoreTurn(this, storableKey(key), this.#queues.take(key, when), when)
  }

  /** Resolves when no end of a turn of the key is being written. */
  async settled(key: string): Promise<void> {
    await this.#leaving.get(key)
  }

  /**
   * Joins the agents that want the turn of a key, or looks again.
   *
   * @param onceId Of a `once` call that may be sent from now on, if it has the turn.
   * @returns Whether this agent has the turn, and whether the store knows that the call may be sent.
   */
  async enter(
    key: string,
    onceId: string | undefined,
  ): Promise<{ readonly hasCome: boolean; readonly isMarked: boolean }> {
    const { database, epoch, owed } = this.#options
    owed.assertPaid(nameOfKey(key))
    const sql = 'SELECT * FROM market_agent.enter($1, $2, $3)'
    const enter = () => database.query(sql, [epoch, key, onceId])
    const [row] = await owed.ask(enter, () => this.oweLeave(key))
    return { hasCome: this.come(key, row), isMarked: row?.['is_marked'] === true }
  }

  /** Notes the turn of a key, if it has come with the ticket. @returns Whether it has. */
  come(key: string, ticket: Row | undefined): boolean {
    if (ticket?.['has_turn'] !== true) return false
    const { quantity, due_in_ms, version } = ticket
    const hasOrders = ticket['has_orders'] === true
    if (typeof due_in_ms !== 'string') this.#late.set(key, { ...nothingLate, hasOrders })
    else {
      const lateUntilMs = this.#options.clock.monotonicMs() + Number(due_in_ms)
      const known = typeof version === 'string' ? version : undefined
      const newest = quantity === null ? undefined : Number(quantity)
      this.#late.set(key, { quantity: newest, lateUntilMs, version: known, hasOrders })
    }
    return true
  }

  /** What is known about late observations of a key whose turn this agent has. */
  lateOf(key: string): Late {
    return this.#late.get(storableKey(key)) ?? nothingLate
  }

  /** Rings when the turn of a key may have come. */
  bell(key: string): Bell {
    const { database, clock } = this.#options
    return new Bell(database, clock, `key ${key}`)
  }

  /** The store knows that the turn of a key was given back. */
  forget(key: string): void {
    this.#late.delete(key)
  }

  /** Gives the turn of a key back, and lets the next call of this agent join when that is written. */
  leave(key: string, next: () => void): void {
    const { owed } = this.#options
    const left = owed.write(nameOfKey(key), () => this.#leave(key))
    const settled = left.catch(owed.onError).then(() => {
      this.#leaving.delete(key)
      next()
    })
    this.#leaving.set(key, settled)
  }

  /** The store may still have a ticket of this agent for the key. Nothing may use it before it is gone. */
  oweLeave(key: string): void {
    this.#options.owed.owe(nameOfKey(key), () => this.#leave(key))
  }

  async #leave(key: string): Promise<void> {
    await this.#options.database.query('SELECT market_agent.leave($1, $2)', [this.#options.epoch, key])
    this.forget(key)
  }
}

/** One turn. A call whose id is claimed gives it back with its answer, in one step. */
export class StoreTurn implements Turn {
  readonly key: string
  readonly #turns: StoreTurns
  readonly #inAgent: Turn
  readonly #when: 'join-now' | 'join-later'
  /** `entered`: it has a ticket. `come`: the lowest one. */
  #state: 'queued' | 'entered' | 'come' | 'over' = 'queued'
  #claimed: { readonly onceId: string | undefined } | undefined
  #isMarked = false
  #isReleased = false

  constructor(turns: StoreTurns, key: string, inAgent: Turn, when: 'join-now' | 'join-later') {
    this.#turns = turns
    this.key = key
    this.#inAgent = inAgent
    this.#when = when
  }

  async mustWait(): Promise<boolean> {
    await this.#turns.settled(this.key)
    return this.#inAgent.mustWait()
  }

  /** Whether no earlier call of this agent is before it, so that it may have a ticket. */
  async isFirstOfAgent(): Promise<boolean> {
    if (this.#when === 'join-later' || this.#state !== 'queued' || this.#isReleased) return false
    return !(await this.mustWait())
  }

  async waitInAgent(deadlineMs: number): Promise<boolean> {
    if (!(await this.#inAgent.wait(deadlineMs))) return false
    await this.#turns.settled(this.key)
    return true
  }

  async wait(deadlineMs: number): Promise<boolean> {
    if (!(await this.#inAgent.wait(deadlineMs))) return false
    if (this.#state === 'come') return true
    using bell = this.#turns.bell(this.key)
    do {
      const { hasCome, isMarked } = await this.#turns.enter(this.key, this.#claimed?.onceId)
      if (this.#isReleased) {
        // It was given up meanwhile, and the ticket that was just written is nobody's.
        this.#turns.leave(this.key, () => undefined)
        return false
      }
      this.#state = hasCome ? 'come' : 'entered'
      this.#isMarked = isMarked
    } while (this.#state !== 'come' && (await bell.rings(deadlineMs)))
    return this.#state === 'come'
  }

  /** Its call has claimed an id, in the same step as a ticket if there is a `ticket`. The call gives both back. */
  claim(onceId: string | undefined, ticket: Row | undefined): void {
    this.#claimed = { onceId }
    if (!ticket) return
    this.#state = this.#turns.come(this.key, ticket) ? 'come' : 'entered'
  }

  /** Whether the store knows, since the turn came, that the claimed `once` call may be sent. */
  get isMarked(): boolean {
    return this.#isMarked
  }

  release(): void {
    if (this.#isReleased) return
    this.#isReleased = true
    if (!this.#claimed) this.#giveBack()
  }

  /** The key whose ticket the call gives back with its answer; undefined if the turn has no ticket or is still needed. */
  get keyToLeave(): string | undefined {
    return this.#isReleased && this.#hasTicket ? this.key : undefined
  }

  /** The claimed call is over. @param hasLeft Whether its ticket was given back with the answer, or will be. */
  endClaim(hasLeft: boolean): void {
    this.#claimed = undefined
    if (hasLeft) this.#state = 'over'
    if (this.#isReleased) this.#giveBack()
  }

  get #hasTicket(): boolean {
    return this.#state === 'entered' || this.#state === 'come'
  }

  #giveBack(): void {
    const next = () => this.#inAgent.release()
    if (this.#hasTicket) this.#turns.leave(this.key, next)
    else next()
    this.#state = 'over'
  }
}
