import { inDoubt } from '../call/answer.ts'
import type { Clock } from '../clock/clock.ts'
import { repeat } from '../clock/repeat.ts'
import { ignoreStoreFailure, isStoreFailure } from '../database/store-errors.ts'
import { LockedError } from '../ownership/ownership.ts'
import type { Database, Query } from './database.ts'

/** Calls and turns that an agent has, as the store names them. */
export interface UnderWay {
  /** The keys whose turn it has. */
  readonly turns: readonly string[]
  /** Of calls whose end the store does not know. */
  readonly ids: readonly string[]
}

/** What a lease works with. */
export interface LeaseOptions {
  readonly database: Database
  readonly clock: Clock
  /** Of this agent among those that share the store. */
  readonly name: string
  /** Of the state directory and the running system. Only one process has both, so an earlier one is dead. */
  readonly stateId: string
  /** Of the state directory. Only an agent that has it knows which of its requests are not answered. */
  readonly stateDirId: string
  readonly world: string
  /** How long an attempt of this agent may reach the platform after it began, in ms. */
  readonly attemptLifetimeMs: number
  /** Whether it may begin only when no other agent serves its world. */
  readonly isStandby: boolean
  /** What it has now. The store may have lost commits of this agent, which says it on each later connection. */
  readonly underWay: () => UnderWay
  /** Called with the name of each agent from which this one took over. */
  readonly onTakeOver: (name: string) => void
  /** Called with an error that is a bug of the agent. */
  readonly onError: (error: unknown) => void
}

const renewalMs = 3_000
/** The lease is 15 s in the store. An attempt that begins before this has time to be sent. */
const mayBeginMs = 10_000
/** How often a standby asks. */
const standbyMs = 2_000
const inDoubtText = JSON.stringify(inDoubt)

/**
 * The right of this agent to work with the store. While it is renewed, no other agent takes over its calls, turns and
 * orders. The agent counts by its own monotonic clock, from before it asked. So an agent that was paused knows that it may
 * not begin anything, before it hears that another one took over.
 */
export class Lease {
  readonly epoch: string
  readonly #options: LeaseOptions
  /** Does not renew any more. From now on nothing may begin. */
  readonly stop: () => void
  #renewedMs: number
  #isStopped = false

  /**
   * Begins a life of this agent. Calls of an earlier life that may have been sent are in doubt from now on.
   *
   * @throws {LockedError} Another agent uses the name, or serves the world for which this one stands by.
   */
  static async begin(options: LeaseOptions): Promise<Lease> {
    const { database, clock, name, stateId, stateDirId, world, attemptLifetimeMs, isStandby } = options
    const askedMs = clock.monotonicMs()
    await database.queryAtOnce('SELECT market_agent.hear()')
    const [before] = await database.queryAtOnce('SELECT epoch FROM market_agent.agent WHERE name = $1', [name])
    const sql = 'SELECT * FROM market_agent.begin_epoch($1, $2, $3, $4, $5, $6, $7, $8)'
    const [row] = await database.queryAtOnce(sql, [
      ...[name, stateId, stateDirId, world, isStandby, attemptLifetimeMs, inDoubtText, before?.['epoch']],
    ])
    if (!row) return Lease.begin(options)
    if (typeof row['epoch'] === 'string') {
      const lease = new Lease(options, row['epoch'], askedMs)
      // It may begin because another one is dead.
      await lease.#renewOrWait()
      return lease
    }
    const [holder, heldForMs] = [String(row['holder']), Number(row['held_for_ms'])]
    const owner = `agent ${JSON.stringify(holder)}, for at least ${Math.ceil(heldForMs / 1_000)} s`
    const what =
      holder === name ? `SERVICE_AGENT_NAME ${JSON.stringify(name)}` : `SERVICE_WORLD ${JSON.stringify(world)}`
    throw new LockedError(`${what} in the store`, owner, standbyMs)
  }

  private constructor(options: LeaseOptions, epoch: string, askedMs: number) {
    const { stateId } = options
    this.#options = options
    this.epoch = epoch
    this.#renewedMs = askedMs
    options.database.onReconnect(async (query) => {
      const { turns, ids } = options.underWay()
      await query('SELECT market_agent.reconnect($1, $2, $3, $4)', [epoch, stateId, turns, ids])
      await this.#renew(query)
    })
    const cancel = options.clock.after(renewalMs, () => {
      stop = repeat(options.clock, renewalMs, () => this.#renewOrWait())
    })
    let stop = cancel
    this.stop = () => {
      this.#isStopped = true
      stop()
    }
  }

  /** For how long the agent may still begin attempts without a renewal; 0 if it may not begin one. */
  get restMs(): number {
    if (this.#isStopped) return 0
    return Math.max(0, this.#renewedMs + mayBeginMs - this.#options.clock.monotonicMs())
  }

  /** Whether the agent may begin an attempt now. */
  mayBegin(): boolean {
    return this.restMs > 0
  }

  /** Ends this life. Calls that are under way are in doubt from now on. */
  async end(): Promise<void> {
    this.stop()
    const { database } = this.#options
    const ended = database.queryAtOnce('SELECT market_agent.end_epoch($1, $2)', [this.epoch, inDoubtText])
    // Without the store, the lease runs out by itself.
    await ended.catch(ignoreStoreFailure)
  }

  async #renewOrWait(): Promise<void> {
    try {
      const { database } = this.#options
      const isOneDead = await this.#renew((sql, values) => database.queryAtOnce(sql, values))
      if (isOneDead) await this.#takeOver()
    } catch (error) {
      if (!isStoreFailure(error)) this.#options.onError(error)
    }
  }

  async #renew(query: Query): Promise<boolean> {
    const askedMs = this.#options.clock.monotonicMs()
    const [row] = await query('SELECT market_agent.renew($1) AS is_one_dead', [this.epoch])
    this.#renewedMs = askedMs
    return row?.['is_one_dead'] === true
  }

  /** From one agent after another, each in a transaction of its own. */
  async #takeOver(): Promise<void> {
    const { database, onTakeOver } = this.#options
    for (;;) {
      const [row] = await database.queryAtOnce('SELECT market_agent.take_over($1, $2) AS name', [
        ...[this.epoch, inDoubtText],
      ])
      if (typeof row?.['name'] !== 'string') return
      onTakeOver(row['name'])
    }
  }
}
