import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentProcess } from '../agent/fixtures/agent-process.ts'
import { startReceiver } from '../platform-stub/fixtures/receiver.ts'
import type { Market } from './market.ts'
import { pause } from './scenario.ts'
import type { Asked, World } from './world.ts'

/** What the game server does with the order of a sale. */
export type Plan =
  /** It takes the order and dies with the agent. Afterwards it knows nothing about the order. */
  | 'forget, then deliver'
  | 'put off, then deliver'
  | 'report out of stock'
  /** The sale ends before the game server takes its order. */
  | 'never take'

interface HandedOver {
  readonly event: string
  readonly transactionId: number
}

const pollMs = 20
const askMs = 150
const repeatMs = 100

/** A game server without a memory of its own, except the calls that it made and their answers. */
export class GameServer {
  /** `event transactionId` of everything that was handed over. */
  readonly seen = new Set<string>()
  readonly #world: World
  readonly #market: Market
  readonly #plans: ReadonlyMap<number, Plan>
  readonly #reportsThrough: Asked['through']
  /** Orders that it took and has not begun to report. */
  readonly #taken = new Set<number>()
  #agent: AgentProcess | undefined
  #lives = 0

  constructor(world: World, market: Market, plans: ReadonlyMap<number, Plan>, reportsThrough: Asked['through']) {
    this.#world = world
    this.#market = market
    this.#plans = plans
    this.#reportsThrough = reportsThrough
  }

  /** It dies with each agent, and starts with the next. Calls without an answer are made again. */
  start(agent: AgentProcess): void {
    this.#agent = agent
    this.#lives++
    this.#taken.clear()
    void agent.ended.then(() => {
      if (this.#agent === agent) this.#agent = undefined
    })
    for (const asked of this.#world.unanswered) void this.#call(asked)
  }

  get lives(): number {
    return this.#lives
  }

  /** @returns Its reply; undefined where it does not take what was handed over. */
  take({ event, transactionId }: HandedOver): object | undefined {
    this.seen.add(`${event} ${transactionId}`)
    if (event === 'transaction_terminal') return {}
    if (this.#plans.get(transactionId) === 'never take') {
      this.#market.refund(transactionId)
      return undefined
    }
    this.#market.noteReply(transactionId)
    this.#taken.add(transactionId)
    setImmediate(() => this.#report(transactionId))
    return { observedQuantity: 4 }
  }

  #report(transactionId: number): void {
    const reports = this.#world.asked.filter(({ input }) => input['transactionId'] === transactionId)
    const isUnderWay = reports.some(({ answers }) => answers.length === 0)
    const plan = this.#plans.get(transactionId)
    if (isUnderWay || (plan === 'forget, then deliver' && this.#lives === 1)) return
    this.#taken.delete(transactionId)
    const wasPutOff = reports.some(({ operation }) => operation === 'transaction.delivery-failure')
    const reason = plan === 'report out of stock' ? 'OUT_OF_STOCK' : 'TEMPORARY'
    const isFailure = reason === 'OUT_OF_STOCK' || (plan === 'put off, then deliver' && !wasPutOff)
    const asked = this.#world.ask({
      id: `report-${transactionId}-${reports.length + 1}`,
      through: this.#reportsThrough,
      operation: isFailure ? 'transaction.delivery-failure' : 'transaction.delivery',
      input: isFailure ? { transactionId, reason, observedQuantity: 0 } : { transactionId },
    })
    void this.#call(asked)
  }

  /** Until it is answered, or the agent ends. A report that was refused is made again. */
  async #call(asked: Asked): Promise<void> {
    const agent = this.#agent
    this.#market.noteReport(Number(asked.input['transactionId']))
    while (agent && this.#agent === agent && asked.answers.length === 0) {
      if (asked.through === 'http') await this.#world.callHttp(agent, asked)
      if (asked.answers.length === 0) await pause(pollMs)
    }
    const [answer] = asked.answers
    const transactionId = Number(asked.input['transactionId'])
    if (answer === undefined || !this.#market.isAwaiting(transactionId)) return
    const isRefused = !(JSON.parse(answer) as { ok: boolean }).ok
    if (isRefused) await pause(repeatMs)
    if (this.#agent === agent && (isRefused || this.#taken.has(transactionId))) this.#report(transactionId)
  }
}

/** How the game server learns about events and replies to them. */
export interface Handover extends AsyncDisposable {
  readonly settings: Readonly<Record<string, string>>
  /** Does its part until the agent ends. */
  work(agent: AgentProcess): Promise<void>
  /** Whether no reply is on its way. */
  isIdle(): boolean
}

export const ways = { url: byUrl, files: byFiles, asking: byAsking } as const
export type Way = keyof typeof ways

async function byUrl(gameServer: GameServer): Promise<Handover> {
  let underWay = 0
  const receiver = await startReceiver((webhook, response) => {
    underWay++
    response.on('close', () => underWay--)
    const reply = gameServer.take(webhook.event)
    response.writeHead(reply ? 200 : 503).end(JSON.stringify(reply ?? {}))
  })
  return {
    settings: { SERVICE_WEBHOOK_FORWARD_URL: receiver.url },
    work: async () => undefined,
    isIdle: () => underWay === 0,
    [Symbol.asyncDispose]: receiver[Symbol.asyncDispose],
  }
}

async function byFiles(gameServer: GameServer, { home }: World): Promise<Handover> {
  const [events, replies] = [join(home.spoolDir, 'events'), join(home.spoolDir, 'replies')]
  const namesIn = (dir: string) => readdirSync(dir).filter((name) => /^[^.].*\.json$/.test(name))
  return {
    settings: { SERVICE_SPOOL_DIR: home.spoolDir },
    work: (agent) =>
      whileAlive(agent, pollMs, () => {
        for (const name of namesIn(events).filter((event) => !readdirSync(replies).includes(event))) {
          const reply = gameServer.take(JSON.parse(readFileSync(join(events, name), 'utf8')) as HandedOver)
          if (!reply) continue
          writeFileSync(join(replies, `.${name}`), JSON.stringify(reply))
          renameSync(join(replies, `.${name}`), join(replies, name))
        }
      }),
    isIdle: () => namesIn(events).length === 0,
    [Symbol.asyncDispose]: async () => undefined,
  }
}

async function byAsking(gameServer: GameServer): Promise<Handover> {
  interface Listed {
    readonly transactionId: number
    readonly state: string
    readonly outcome: string | null
  }
  return {
    settings: {},
    work: (agent) =>
      whileAlive(agent, askMs, async () => {
        const { data } = (await agent.call('orders.open', {})) as unknown as { data: Record<string, Listed[]> }
        for (const { transactionId, outcome } of data['closed'] ?? [])
          if (outcome !== null) gameServer.take({ event: 'transaction_terminal', transactionId })
        for (const { transactionId, state } of data['orders'] ?? []) {
          const reply = state === 'offered' && gameServer.take({ event: 'transfer_order', transactionId })
          if (reply) await agent.call('orders.take', { transactionId, ...reply })
        }
      }),
    isIdle: () => true,
    [Symbol.asyncDispose]: async () => undefined,
  }
}

/**
 * Does something again and again while the agent lives. A failure is tried again: the agent is dying, or a file goes
 * away.
 */
async function whileAlive(agent: AgentProcess, everyMs: number, act: () => Promise<void> | void): Promise<void> {
  let hasEnded = false
  void agent.ended.then(() => {
    hasEnded = true
  })
  for (; !hasEnded; await pause(everyMs)) {
    try {
      await act()
    } catch {
      // See above.
    }
  }
}
