import type { StoreHost, StoreUrl } from '../../../agent/config/store-url.ts'
import { type HostProblem, NoWritableHostError } from '../../../agent/postgres/connect.ts'
import type { StoreSession } from '../../../agent/postgres/session.ts'
import { ActiveMaximum } from '../active-maximum.ts'
import type { ModelProcess } from '../process.ts'
import type { Random } from '../random.ts'
import { openSession, timeoutMs } from './client-session.ts'
import type { Statement } from './engine.ts'
import { Way } from './pipe.ts'
import type { SqlServer } from './sql-server.ts'

/** A host of the store, as it is now. */
export interface ServerHost {
  /** Undefined while no server runs. */
  readonly process: ModelProcess | undefined
  /** Undefined for one that accepts no writes. */
  readonly server: SqlServer | undefined
}

/** Connects agents with the servers of their store. */
export class StoreNetwork {
  readonly slowMsMax = new ActiveMaximum(3)
  /** Statements that may have been carried out, although their client does not know it. */
  readonly unanswered = new Set<Statement>()
  readonly #random: Random
  readonly #hostNamed: (name: string) => ServerHost
  readonly #ways = new Map<string, Way>()
  #sessions = 0

  constructor(random: Random, hostNamed: (name: string) => ServerHost) {
    this.#random = random.part('store network')
    this.#hostNamed = hostNamed
  }

  /** The way between a host of agents and the servers. */
  wayOf(host: string): Way {
    const way = this.#ways.get(host) ?? new Way()
    this.#ways.set(host, way)
    return way
  }

  /**
   * As `connectToStore`: the first host that accepts writes.
   *
   * @param from The host of the client.
   * @throws {NoWritableHostError}
   */
  async connect(client: ModelProcess, from: string, url: StoreUrl, onEnd: () => void): Promise<StoreSession> {
    const problems: HostProblem[] = []
    for (const host of url.hosts) {
      const session = await this.#connectTo(client, from, host, onEnd)
      if (!(session instanceof Error) && typeof session !== 'string') return session
      problems.push({ host: host.host, port: host.port, problem: session })
    }
    throw new NoWritableHostError(problems)
  }

  #connectTo(
    client: ModelProcess,
    from: string,
    host: StoreHost,
    onEnd: () => void,
  ): Promise<StoreSession | HostProblem['problem']> {
    const way = this.wayOf(from)
    const { promise, resolve } = Promise.withResolvers<StoreSession | HostProblem['problem']>()
    const cancel = client.time.setTimer(timeoutMs, () => resolve(new Error('timeout expired')))
    const pass = (receiver: ModelProcess, what: string, act: () => void) =>
      way.pass(() => void receiver.after(this.#random.magnitude(0.05, this.slowMsMax.value), what, act))
    const answer = (what: string, found: StoreSession | HostProblem['problem']) =>
      pass(client, what, () => {
        cancel()
        resolve(found)
      })

    client.enter(`connects to ${host.host}`)
    const { process } = this.#hostNamed(host.host)
    if (!process) answer(`${host.host} refuses`, new Error('connect ECONNREFUSED'))
    else
      pass(process, `a connection from ${from}`, () => {
        const { server } = this.#hostNamed(host.host)
        if (!server) return answer(`${host.host} is read-only`, 'read-only')
        const { slowMsMax } = this
        const name = `${from}-${++this.#sessions}`
        const onUnanswered = (statement: Statement) => void this.unanswered.add(statement)
        const session = openSession({
          ...{ name, client, server, host, way, random: this.#random, slowMsMax, onEnd, onUnanswered },
        })
        answer(`${host.host} is connected`, session)
      })
    return promise
  }
}
