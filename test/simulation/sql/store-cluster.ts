import { prepareSchema } from '../../../agent/postgres/prepare-schema.ts'
import type { Row } from '../../../agent/postgres/session.ts'
import { ModelHost } from '../host.ts'
import { startOfRunMs } from '../host-clock.ts'
import type { Random } from '../random.ts'
import type { Scheduler } from '../scheduler.ts'
import { SqlEngine } from './engine.ts'
import { SqlServer } from './sql-server.ts'
import { StoreNetwork } from './store-network.ts'
import { Unsynced } from './unsynced.ts'

const names = ['db-1', 'db-2'] as const

/** The store as an operator names it. */
export const storeUrl = `postgres://market@${names.join(',')}/market`

/**
 * Two servers, of which one accepts writes. There is one set of rows: a commit that has waited for the disk is on both
 * hosts.
 */
export class StoreCluster {
  readonly network: StoreNetwork
  readonly #engine: SqlEngine
  readonly #unsynced: Unsynced
  readonly #hosts: readonly ModelHost[]
  /** What fills its disk. */
  readonly #full = new Set<symbol>()
  /** What makes it lose answers to commits. */
  readonly #losing = new Set<symbol>()
  #primary: ModelHost
  #server: SqlServer | undefined

  constructor(engine: SqlEngine, scheduler: Scheduler, random: Random) {
    this.#engine = engine
    this.#unsynced = new Unsynced(engine)
    engine.clear()
    engine.nowMs = () => startOfRunMs + scheduler.nowMs
    const [first, second] = names.map((name) => new ModelHost(name, scheduler, random)) as [ModelHost, ModelHost]
    this.#hosts = [first, second]
    this.#primary = first
    for (const host of this.#hosts)
      host.install('postgres', (process) => {
        if (host === this.#primary)
          this.#server = new SqlServer(engine, process, this.#unsynced, {
            isFull: () => this.isFull,
            losesAnswers: () => this.losesAnswers,
          })
      })
    this.network = new StoreNetwork(random, (name) => {
      const host = this.#hosts.find((known) => known.name === name)
      return { process: host?.programs[0]?.process, server: host === this.#primary ? this.server : undefined }
    })
  }

  /** The server that accepts writes; undefined while it is down. */
  get server(): SqlServer | undefined {
    return this.#server?.process.state === 'dead' ? undefined : this.#server
  }

  /** Starts the servers that are down, and lets those run that were paused. */
  start(): void {
    for (const { programs } of this.#hosts)
      for (const program of programs) {
        program.process?.resume()
        program.start()
      }
  }

  /** From now on a crash loses each commit that has waited for no disk. */
  delaySyncs(): void {
    this.#unsynced.watch()
  }

  /** From now on there is no room for a write. The returned function ends that. */
  fill(): () => void {
    return addTo(this.#full)
  }

  /** Whether it loses answers to commits now. */
  get losesAnswers(): boolean {
    return this.#losing.size > 0
  }

  /** Whether there is no room for a write now. */
  get isFull(): boolean {
    return this.#full.size > 0
  }

  /** From now on some sessions end between a commit and its answer. The returned function ends that. */
  loseAnswers(): () => void {
    return addTo(this.#losing)
  }

  /** Ends the server that accepts writes. */
  crash(): void {
    this.#server?.process.end()
  }

  /** The server that accepts writes crashes. From now on the other one accepts them, with this one as its standby. */
  failOver(): void {
    this.crash()
    this.#primary = this.#hosts.find((host) => host !== this.#primary) ?? this.#primary
    for (const { process } of this.#primary.programs) process?.end()
    this.start()
  }

  /** The rows that are committed; undefined in the middle of a transaction. */
  look(sql: string, values: readonly unknown[] = []): readonly Row[] | undefined {
    return this.#server?.isInTransaction ? undefined : this.#engine.demand(sql, values)
  }

  /** Whether a crash may lose the last change of a row with these values. */
  isUnsynced(table: 'call' | 'observation', values: Readonly<Record<string, unknown>>): boolean {
    return this.#unsynced.has(`market_agent.${table}`, values)
  }
}

/** @returns Takes away what is added. */
function addTo(reasons: Set<symbol>): () => void {
  const reason = Symbol('reason')
  reasons.add(reason)
  return () => void reasons.delete(reason)
}

let started: Promise<SqlEngine> | undefined

/** The engine of this process, with the schema of the agents. Each world begins with empty tables. */
export function storeEngine(): Promise<SqlEngine> {
  started ??= startEngine()
  return started
}

/** Ends the engine. The process cannot end before. */
export async function endStoreEngine(): Promise<void> {
  await (await started)?.close()
  started = undefined
}

async function startEngine(): Promise<SqlEngine> {
  const engine = await SqlEngine.start('market_agent')
  await prepareSchema(async (sql, values) => engine.demand(sql, values))
  Unsynced.prepare(engine)
  return engine
}
