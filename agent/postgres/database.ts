import pLimit from 'p-limit'
import type { Clock } from '../clock/clock.ts'
import type { StoreUrl } from '../config/store-url.ts'
import { StoreNotAskedError, StoreUnreachableError } from '../database/store-errors.ts'
import type { Row, StoreClient, StoreSession } from './session.ts'
import { errorOfStatement, LeaseLostError } from './statement-error.ts'

/** Runs one statement. @throws As `Database.query`. */
export type Query = (sql: string, values?: readonly unknown[]) => Promise<readonly Row[]>

/** What a database works with. */
export interface DatabaseOptions {
  readonly url: StoreUrl
  /** Begins a session. `onEnd` is called when it has ended by anything else than its `end`. */
  readonly connect: (url: StoreUrl, onEnd: () => void) => Promise<StoreSession>
  readonly clock: Clock
  /** Called on a new connection, before anything else uses it. If it throws, there is no connection. */
  readonly prepare: (query: Query) => Promise<void>
  /** Called when another agent took over what this one had. */
  readonly onLeaseLost: (error: LeaseLostError) => void
  /** Called with the reason when the database is away, again after each try, and without one when it is there again. */
  readonly onChange: (problem: StoreUnreachableError | undefined) => void
}

/** The notifications of all agents. */
export const channel = 'market_agent'
/** Sessions for statements. The server does them one after another within a session, and each waits for a sync to disk. */
const sessionsForStatements = 8
const reconnectMs = 1_000

/** A session without a name of its connection begins a new one. */
const joinConnection = `
  SELECT set_config('market_agent.connection', coalesce($1::text, gen_random_uuid()::text), false) AS name`

/** A connection is all of its sessions. They are with one host, and end together. Each knows the name of its connection. */
interface Connection {
  /** For notifications and for what must not wait behind other statements. */
  readonly watch: StoreSession
  readonly statements: readonly StoreSession[]
}

type State =
  | { readonly at: 'away'; readonly problem: StoreUnreachableError }
  | { readonly at: 'connected'; readonly connection: Connection; readonly idle: StoreClient[] }
  | { readonly at: 'closed' }

/**
 * A PostgreSQL database that may be away. Then every statement fails at once, and each second a new connection is tried.
 * No statement is ever sent again: only the caller knows how to repeat it.
 */
export class Database {
  readonly #options: DatabaseOptions
  readonly #firstSteps: ((query: Query) => Promise<unknown>)[] = []
  readonly #listeners = new Set<(payload: string | undefined) => void>()
  readonly #limit = pLimit(sessionsForStatements)
  readonly #underWay = new Set<Promise<unknown>>()
  #state: State = { at: 'away', problem: new StoreUnreachableError('the store was not reached yet') }
  #isDraining = false
  #cancelReconnection: () => void = () => undefined

  private constructor(options: DatabaseOptions) {
    this.#options = options
  }

  /**
   * Connects for the first time.
   *
   * @throws {NoWritableHostError}
   * @throws What `prepare` throws.
   */
  static async open(options: DatabaseOptions): Promise<Database> {
    const database = new Database(options)
    await database.#connect()
    return database
  }

  /** Why the database is away; undefined while it is there. */
  get problem(): StoreUnreachableError | undefined {
    const state = this.#state
    if (state.at === 'connected') return undefined
    return state.at === 'away' ? state.problem : notAsked(state)
  }

  /**
   * Runs one statement, which is a transaction by itself.
   *
   * @throws {StoreNotAskedError} Nothing was sent.
   * @throws {StoreUnreachableError} It is not known whether it was done.
   * @throws {StoreFullError} The server has no space. Nothing was done.
   * @throws {LeaseLostError} Another agent took over what this one had.
   */
  query(sql: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    return this.#withSession((query) => query(sql, values))
  }

  /** As `query`, on the session that no other statement makes wait. For what keeps the agent alive. */
  queryAtOnce(sql: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    const state = this.#state
    if (state.at !== 'connected') return Promise.reject(notAsked(state))
    return this.#run(state.connection, state.connection.watch.client, sql, values)
  }

  /**
   * Runs several statements in one transaction. If the work throws, nothing was done.
   *
   * @throws As `query`.
   */
  transact<Result>(work: (query: Query) => Promise<Result>): Promise<Result> {
    return this.#withSession(async (query) => {
      await query('BEGIN')
      try {
        const result = await work(query)
        await query('COMMIT')
        return result
      } catch (error) {
        // A session that has ended rolls back by itself. The error that ended it is the one to report.
        await query('ROLLBACK').catch(() => undefined)
        throw error
      }
    })
  }

  /**
   * Calls back for each notification of an agent, this one included. Without a payload after a time in which some may have
   * been lost.
   *
   * @returns Ends that.
   */
  listen(listener: (payload: string | undefined) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Adds a step to what is done on each later connection after `prepare`. */
  onReconnect(step: (query: Query) => Promise<unknown>): void {
    this.#firstSteps.push(step)
  }

  /** Resolves when the statements that were begun have ended. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) {
      await Promise.allSettled(this.#underWay)
      // What has ended may begin another one.
      await this.#options.clock.nextTurn()
    }
  }

  /** Refuses new statements but those of `queryAtOnce`. Resolves when the others have ended. */
  async drain(): Promise<void> {
    this.#isDraining = true
    await this.idle()
  }

  /** Ends the sessions when the statements that were begun have ended. */
  async close(): Promise<void> {
    const state = this.#state
    this.#cancelReconnection()
    await this.idle()
    this.#state = { at: 'closed' }
    if (state.at === 'connected') await endAll(state.connection)
  }

  async #withSession<Result>(work: (query: Query) => Promise<Result>): Promise<Result> {
    if (this.#isDraining) throw notAsked({ at: 'closed' })
    const result = this.#limit(async () => {
      const state = this.#state
      if (state.at !== 'connected') throw notAsked(state)
      const client = state.idle.pop()
      if (!client) throw new Error('there are as many sessions as statements')
      try {
        return await work((sql, values = []) => this.#run(state.connection, client, sql, values))
      } finally {
        state.idle.push(client)
      }
    })
    this.#underWay.add(result)
    return result.finally(() => this.#underWay.delete(result))
  }

  async #run(
    connection: Connection,
    client: StoreClient,
    sql: string,
    values: readonly unknown[],
  ): Promise<readonly Row[]> {
    try {
      return (await client.query(sql, [...values])).rows
    } catch (error) {
      const problem = errorOfStatement(error)
      if (problem instanceof LeaseLostError) this.#options.onLeaseLost(problem)
      else if (problem instanceof StoreUnreachableError) this.#drop(connection, problem)
      throw problem
    }
  }

  async #connect(): Promise<void> {
    const { url, connect, prepare } = this.#options
    const opened: { connection?: Connection; hasEnded: boolean } = { hasEnded: false }
    const onEnd = () => {
      opened.hasEnded = true
      if (opened.connection) this.#drop(opened.connection, new StoreUnreachableError('the connection ended'))
    }
    const open = (at: StoreUrl) => connect(at, onEnd)
    const watch = await open(url)
    const sameHost = { ...url, hosts: [watch.host] } as const
    const sessions = await Promise.allSettled(Array.from({ length: sessionsForStatements }, () => open(sameHost)))
    const statements = sessions.flatMap((session) => (session.status === 'fulfilled' ? [session.value] : []))
    const connection = { watch, statements }
    try {
      for (const session of sessions) if (session.status === 'rejected') throw session.reason
      watch.client.on('notification', ({ payload }) => this.#tell(payload))
      await this.#run(connection, watch.client, `LISTEN ${channel}`, [])
      const query: Query = (sql, values = []) => this.#run(connection, watch.client, sql, values)
      const [joined] = await query(joinConnection, [null])
      await Promise.all(
        statements.map(({ client }) => this.#run(connection, client, joinConnection, [joined?.['name']])),
      )
      await prepare(query)
      for (const step of this.#firstSteps) await step(query)
      if (opened.hasEnded) throw new StoreUnreachableError('the connection ended')
    } catch (error) {
      void endAll(connection)
      throw error
    }
    if (this.#state.at === 'closed') return void endAll(connection)
    opened.connection = connection
    this.#state = { at: 'connected', connection, idle: statements.map(({ client }) => client) }
    this.#options.onChange(undefined)
    this.#tell(undefined)
  }

  /** A connection is lost as a whole, so that no statement is left behind on a session that nobody watches. */
  #drop(connection: Connection, problem: StoreUnreachableError): void {
    if (this.#state.at !== 'connected' || this.#state.connection !== connection) return
    this.#state = { at: 'away', problem }
    void endAll(connection)
    this.#options.onChange(problem)
    this.#reconnectLater()
  }

  #reconnectLater(): void {
    this.#cancelReconnection = this.#options.clock.after(reconnectMs, () => {
      this.#connect().catch((error: unknown) => {
        if (this.#state.at !== 'away') return
        // The next try may succeed.
        const { message } = error as Error
        const problem =
          error instanceof StoreUnreachableError ? error : new StoreUnreachableError(message, { cause: error })
        this.#state = { at: 'away', problem }
        // A lost lease was reported.
        if (!(error instanceof LeaseLostError)) this.#options.onChange(problem)
        this.#reconnectLater()
      })
    })
  }

  #tell(payload: string | undefined): void {
    for (const listener of [...this.#listeners]) listener(payload)
  }
}

function notAsked(state: Exclude<State, { at: 'connected' }>): StoreNotAskedError {
  return state.at === 'away'
    ? new StoreNotAskedError(state.problem.message, { cause: state.problem })
    : new StoreNotAskedError('the store is closed')
}

/** A server that is silent does not answer the end, so it ends without one. */
async function endAll({ watch, statements }: Connection): Promise<void> {
  await Promise.all([watch, ...statements].map((session) => session.end()))
}
