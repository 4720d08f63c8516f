import { setTimeout as wait } from 'node:timers/promises'
import type { SharedStoreStatus } from '../../agent/store.ts'
import { type AgentHome, type AgentProcess, agentHome } from '../agent/fixtures/agent-process.ts'
import { spawnBridge, webhookUrlOf } from '../agent/fixtures/bridge-process.ts'
import { type CuttableProxy, startCuttableProxy } from '../agent/fixtures/cuttable-proxy.ts'

/** What a host is. */
export interface HostOptions {
  readonly name: string
  readonly world: string
  readonly platformUrl: string
  /** Of the servers of the store. */
  readonly storePorts: readonly number[]
  readonly database: string
}

/** The end of an agent that nobody caused. */
export interface UnexpectedEnd {
  readonly host: string
  readonly code: number | null
  readonly lastLines: string
}

/** Exit 3: another agent took over. Exit 1: the store could not be reached at the start. */
const codesOfFaults = [0, 1, 3]

/** Longer than an agent needs to start, and to find a store that is there. */
const aliveMsMax = 60_000

/** A host with an agent that a service manager starts again, and its own ways to the servers of the store. */
export class Host implements AsyncDisposable {
  readonly name: string
  readonly world: string
  readonly proxies: readonly CuttableProxy[]
  readonly unexpected: UnexpectedEnd[] = []
  /** How often its agent was started. */
  starts = 0
  /** How often its agent was killed. */
  kills = 0
  readonly #home: AgentHome
  readonly #env: Readonly<Record<string, string>>
  #agent: AgentProcess
  /** Resolves when the machine is up. */
  #up: Promise<unknown> = Promise.resolve()
  #isClosing = false
  /** Of its agents that have ended, by the name of the dead. */
  readonly #takeovers = new Map<string, number>()

  private constructor({ name, world, platformUrl, database }: HostOptions, proxies: readonly CuttableProxy[]) {
    this.name = name
    this.world = world
    this.proxies = proxies
    this.#home = agentHome(platformUrl)
    this.#env = {
      SERVICE_STORE_URL: `postgres://postgres@${proxies.map(({ port }) => `127.0.0.1:${port}`).join(',')}/${database}`,
      SERVICE_AGENT_NAME: name,
      SERVICE_WORLD: world,
      SERVICE_ORDERS_BY: 'asking',
    }
    this.#agent = this.#spawn()
    void this.#keepRunning()
  }

  static async start(options: HostOptions): Promise<Host> {
    return new Host(options, await Promise.all(options.storePorts.map((port) => startCuttableProxy({ port }))))
  }

  /** Sends a call, as a game server does that waits no longer than this. @returns undefined without an answer. */
  async call(operation: string, input: object, id?: string, timeoutMs = 8_000): Promise<HostAnswer | undefined> {
    try {
      const body = JSON.stringify({ operation, input, id })
      const url = `${await within(this.#agent.listening, timeoutMs)}/call`
      const response = await fetch(url, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
        signal: AbortSignal.timeout(timeoutMs),
      })
      return (await response.json()) as HostAnswer
    } catch {
      return undefined
    }
  }

  /** Where its agent takes webhooks; undefined while it does not. */
  async webhookUrl(): Promise<string | undefined> {
    return within(webhookUrlOf(this.#agent), 3_000).catch(() => undefined)
  }

  /** Resolves when its agent has a lease in the store: from then on its death leaves something to take over. */
  async alive(): Promise<void> {
    const endMs = performance.now() + aliveMsMax
    while (performance.now() < endMs) {
      const store = await this.#storeStatus().catch(() => undefined)
      if (store?.up && store.leaseS > 0 && store.agents?.some(({ name }) => name === this.name)) return
      await wait(100)
    }
    throw new Error(`agent ${this.name} did not come back: ${this.lastLines}`)
  }

  async #storeStatus(): Promise<SharedStoreStatus | undefined> {
    const url = `${await within(this.#agent.listening, 3_000)}/status`
    const response = await fetch(url, { signal: AbortSignal.timeout(3_000) })
    return ((await response.json()) as { store?: SharedStoreStatus }).store
  }

  /** Kills its agent. It is started again when `up` resolves. */
  async kill(up: Promise<unknown> = Promise.resolve()): Promise<void> {
    this.kills++
    this.#up = up
    await this.#agent.kill()
    await up
  }

  /** Stops its process for a while. */
  async pause(ms: number): Promise<void> {
    const { child } = this.#agent
    child.kill('SIGSTOP')
    await wait(ms)
    child.kill('SIGCONT')
  }

  /** How often its agents took over from the agent of a name. */
  takeoversFrom(name: string): number {
    return (this.#takeovers.get(name) ?? 0) + takeoversIn(this.#agent).filter((dead) => dead === name).length
  }

  /** The last lines of its agent. */
  get lastLines(): string {
    return this.#agent.output().slice(-3_000)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true
    await this.#agent[Symbol.asyncDispose]()
    for (const proxy of this.proxies) proxy[Symbol.dispose]()
    this.#home[Symbol.dispose]()
  }

  #spawn(): AgentProcess {
    this.starts++
    return spawnBridge(this.#home, this.#env)
  }

  async #keepRunning(): Promise<void> {
    for (;;) {
      const agent = this.#agent
      const { code, signal } = await agent.ended
      if (this.#isClosing) return
      if (signal !== 'SIGKILL' && !codesOfFaults.includes(code ?? -1))
        this.unexpected.push({ host: this.name, code, lastLines: agent.output().slice(-2_000) })
      // As systemd does.
      await Promise.all([this.#up, wait(500)])
      for (const dead of takeoversIn(agent)) this.#takeovers.set(dead, (this.#takeovers.get(dead) ?? 0) + 1)
      this.#agent = this.#spawn()
    }
  }
}

/** An answer of an agent. */
export interface HostAnswer {
  readonly ok: boolean
  readonly status?: number
  readonly code?: string
  readonly uncertain?: boolean
  readonly data?: unknown
  readonly replayed?: boolean
}

/** The names of the dead from which an agent took over. */
function takeoversIn(agent: AgentProcess): readonly string[] {
  return [...agent.output().matchAll(/"agent":"(\w+)"[^\n]*"msg":"another agent is dead/g)].map(([, name = '']) => name)
}

async function within<Value>(promise: Promise<Value>, ms: number): Promise<Value> {
  return Promise.race([promise, wait(ms, undefined, { ref: false }).then(() => Promise.reject(new Error('too late')))])
}
