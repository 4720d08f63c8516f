import type { ModelProcess } from '../process.ts'
import type { SqlEngine, SqlFailure, SqlResult, Statement } from './engine.ts'
import type { Unsynced } from './unsynced.ts'

/** How long a statement may wait for a transaction, and a transaction for its next statement: as the agent asks for. */
const patienceMs = 3_000
/** How long a commit may wait for the disk. */
const syncMsMax = 8
/** How many answers to commits are lost while some are. */
const lostRate = 0.3

/** One session, as the server has it. */
export interface ServerSession {
  readonly name: string
  /** Called with each payload that is notified, if the session listens. */
  readonly onNotified: (payload: string) => void
  /** The server has ended the session. */
  readonly onEnd: () => void
}

/** What a session has set for itself. */
interface Settings {
  listens: boolean
  /** The name that the agent gave to its connection. */
  connection: string
}

/** A result, and whether its client waits for the disk. */
interface Done extends SqlResult {
  readonly syncs: boolean
}

/** What is wrong with a server now. */
export interface ServerFaults {
  /** Its disk has no room for a write. */
  readonly isFull: () => boolean
  /** Some sessions end between a commit and its answer. */
  readonly losesAnswers: () => boolean
}

interface Waiting {
  readonly session: ServerSession
  readonly begin: () => void
}

/** What the end of a transaction needs to know about it, and about its session. */
const aboutTransaction: Statement = {
  sql: `SELECT current_setting('synchronous_commit') <> 'off' AND pg_current_xact_id_if_assigned() IS NOT NULL AS syncs,
    current_setting('market_agent.connection', true) AS connection`,
}
/** Fails as a disk without room does, after a statement that has written. */
const demandRoom: Statement = {
  sql: `DO $$ BEGIN
    IF pg_current_xact_id_if_assigned() IS NOT NULL THEN
      RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full';
    END IF;
  END $$`,
}
const canceled: SqlFailure = {
  severity: 'ERROR',
  code: '57014',
  message: 'canceling statement due to statement timeout',
}

/**
 * One process of a server. Statements run one at a time, and so do transactions: what would wait for a lock of another one
 * waits for its end. A commit that waits for no disk may be lost in a crash.
 */
export class SqlServer {
  readonly #engine: SqlEngine
  readonly #process: ModelProcess
  readonly #unsynced: Unsynced
  readonly #faults: ServerFaults
  readonly #sessions = new Map<ServerSession, Settings>()
  /** Whose settings the engine has. */
  #presented: ServerSession | undefined
  /** The session with an open transaction. */
  #owner: ServerSession | undefined
  #waiting: Waiting[] = []
  #cancelPatience: () => void = () => undefined

  constructor(engine: SqlEngine, process: ModelProcess, unsynced: Unsynced, faults: ServerFaults) {
    this.#engine = engine
    this.#process = process
    this.#unsynced = unsynced
    this.#faults = faults
    process.onEnd(() => this.#crash())
  }

  get process(): ModelProcess {
    return this.#process
  }

  get isInTransaction(): boolean {
    return this.#owner !== undefined
  }

  begin(session: ServerSession): void {
    this.#sessions.set(session, { listens: false, connection: '' })
  }

  /** The client is gone. */
  end(session: ServerSession): void {
    this.#sessions.delete(session)
    this.#waiting = this.#waiting.filter((waiting) => waiting.session !== session)
    if (this.#owner === session) this.#rollBack()
  }

  /** Ends every session, as an administrator does. */
  endAll(): void {
    for (const session of this.#sessions.keys()) this.#terminate(session)
  }

  /** Runs a statement of a session. @param reply Called when a client would get the result. */
  run(session: ServerSession, statement: Statement, reply: (result: SqlResult) => void): void {
    if (!this.#sessions.has(session)) return
    if (this.#owner === undefined || this.#owner === session) this.#runNow(session, statement, reply)
    else this.#wait(session, statement, reply)
  }

  #wait(session: ServerSession, statement: Statement, reply: (result: SqlResult) => void): void {
    const waiting = {
      session,
      begin: () => {
        cancel()
        this.run(session, statement, reply)
      },
    }
    const cancel = this.#process.after(patienceMs, `${session.name} has waited too long`, () => {
      this.#waiting = this.#waiting.filter((other) => other !== waiting)
      reply({ rows: [], failure: canceled, notified: [] })
    })
    this.#waiting.push(waiting)
  }

  #runNow(session: ServerSession, statement: Statement, reply: (result: SqlResult) => void): void {
    const settings = this.#sessions.get(session)
    if (!settings) return
    const word = /^\s*(\w+)/.exec(statement.sql)?.[1]?.toUpperCase()
    if (word === 'LISTEN') settings.listens = true
    this.#cancelPatience()
    this.#present(session, settings)
    const isWhole = this.#owner === undefined && word !== 'BEGIN'
    const result = isWhole || word === 'COMMIT' ? this.#commit(settings, statement, isWhole) : this.#step(statement)
    if (word === 'BEGIN') this.#owner = session
    if (word === 'COMMIT' || word === 'ROLLBACK') this.#release()
    else if (this.#owner === session) this.#awaitNext(session)
    if (result.syncs && this.#faults.losesAnswers() && this.#process.random.happens(lostRate)) {
      this.#terminate(session)
      return
    }
    const syncMs = result.syncs ? this.#process.random.magnitude(0.2, syncMsMax) : 0
    if (syncMs === 0) reply(result)
    else this.#process.after(syncMs, 'the commit is synced', () => reply(result))
  }

  /** The engine has one session, which is used by all of them in turn. */
  #present(session: ServerSession, { connection }: Settings): void {
    if (this.#presented === session) return
    this.#presented = session
    this.#engine.demand(`SELECT set_config('market_agent.connection', $1, false)`, [connection])
  }

  /** A step of a transaction that ends later. */
  #step(statement: Statement): Done {
    const [result, room] = this.#engine.run(statement, ...this.#demands())
    if (!result) throw new Error(`no result of ${statement.sql}`)
    return { ...result, failure: result.failure ?? room?.failure, syncs: false }
  }

  /** A transaction of one statement, or the commit of one that has been begun. */
  #commit(settings: Settings, statement: Statement, isWhole: boolean): Done {
    const steps = isWhole
      ? [{ sql: 'BEGIN' }, statement, ...this.#demands(), aboutTransaction, { sql: 'COMMIT' }]
      : [aboutTransaction, statement]
    const results = this.#engine.run(...steps)
    const resultOf = (step: Statement) => results[steps.indexOf(step)]
    const result = resultOf(statement)
    const failure = result?.failure ?? resultOf(demandRoom)?.failure
    const about = resultOf(aboutTransaction)?.rows[0]
    if (!result) throw new Error(`no result of ${statement.sql}`)
    if (about) settings.connection = String(about['connection'] ?? '')
    const syncs = about?.['syncs'] === true
    if (syncs) this.#unsynced.forget()
    for (const payload of results.flatMap(({ notified }) => notified)) this.#notify(payload)
    return { ...result, failure, syncs }
  }

  #demands(): readonly Statement[] {
    return this.#faults.isFull() ? [demandRoom] : []
  }

  #awaitNext(session: ServerSession): void {
    const end = () => this.#terminate(session)
    this.#cancelPatience = this.#process.after(patienceMs, `${session.name} is idle in a transaction`, end)
  }

  #notify(payload: string): void {
    for (const [session, { listens }] of this.#sessions) if (listens) session.onNotified(payload)
  }

  #terminate(session: ServerSession): void {
    this.end(session)
    session.onEnd()
  }

  #rollBack(): void {
    this.#cancelPatience()
    this.#engine.run({ sql: 'ROLLBACK' })
    this.#release()
  }

  /** The next one that waits begins. It may open a transaction too. */
  #release(): void {
    this.#owner = undefined
    while (this.#owner === undefined && this.#waiting.length > 0) this.#waiting.shift()?.begin()
  }

  #crash(): void {
    this.#waiting = []
    if (this.#owner) this.#rollBack()
    for (const session of this.#sessions.keys()) session.onEnd()
    this.#sessions.clear()
    this.#unsynced.lose()
  }
}
