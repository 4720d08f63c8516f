import { setTimeout as wait } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { processPublicKey } from '../agent/fixtures/agent-process.ts'
import { order as event } from '../agent/fixtures/events.ts'
import { FakePlatform, goodReply } from '../agent/fixtures/fake-platform.ts'
import { newDatabase } from '../agent/fixtures/store-database.ts'
import { goodInputs } from '../agent/fixtures/test-agent.ts'
import { sendWebhook } from '../agent/fixtures/webhook-sender.ts'
import type { Random } from '../simulation/random.ts'
import { Findings, type Harm } from './findings.ts'
import { Host, type HostAnswer } from './host.ts'
import type { Storm } from './storms.ts'

/** What is run. */
export interface HostsRunOptions {
  /** Stays the caller's. */
  readonly storm: Storm
  readonly random: Random
  readonly say: (line: string) => void
}

/** What came of a run. */
export interface HostsRunResult extends Readonly<Record<Harm, number>> {
  readonly purchases: number
  readonly sales: number
  /** Items whose stock was observed three times. */
  readonly restocked: number
  /** Purchases that may have been made, as far as their caller knows. */
  readonly uncertain: number
  readonly kills: number
  readonly starts: number
  readonly minutes: number
  readonly faults: Readonly<Record<string, number>>
  /** How many deaths lasted until another agent took over. */
  readonly takeovers: number
  /** The longest time from such a death until then, ms. */
  readonly takeoverMsMax: number
  readonly violations: readonly string[]
}

/** Two hosts are a pair, one has a world of its own. */
const layout = [
  { name: 'a', world: 'north' },
  { name: 'b', world: 'north' },
  { name: 'c', world: 'south' },
]
const worlds = ['north', 'south']
const workAtOnce = 24
const quietMsMax = 60_000

/**
 * Three agents of one identity over a real PostgreSQL: purchases by ids from any host, and sales whose webhooks reach any
 * host, while agents, their ways to the store and the store itself fail. Then all is healed, and everything must come to
 * its end.
 */
export async function runHosts({ storm, random, say }: HostsRunOptions): Promise<HostsRunResult> {
  const startMs = performance.now()
  await using opened = new AsyncDisposableStack()
  const platform = opened.use(await FakePlatform.start(processPublicKey))
  const database = await newDatabase(storm)
  const hosts: Host[] = []
  for (const { name, world } of layout)
    hosts.push(
      opened.use(await Host.start({ name, world, platformUrl: platform.url, storePorts: storm.ports, database })),
    )
  const findings = new Findings()
  const anyHost = (of = hosts) => random.pick(of)
  const delivered = new Set<number>()
  const underWay = new Map<string, number>()
  platform.reply = async (request) => {
    const { method, path, body } = request
    const itemRef = method === 'PUT' ? String(JSON.parse(body).itemRef) : undefined
    if (itemRef !== undefined) {
      const others = underWay.get(itemRef) ?? 0
      if (others > 0) findings.add('other', `two calls of ${itemRef} were under way at the same time`)
      underWay.set(itemRef, others + 1)
      await wait(random.integer(1, 200))
      underWay.set(itemRef, (underWay.get(itemRef) ?? 1) - 1)
    }
    if (method === 'POST') await wait(random.integer(1, 400))
    const transactionId = Number(/\/transactions\/(\d+)/.exec(path)?.[1])
    if (path.endsWith('/delivery')) {
      delivered.add(transactionId)
      platform.shown.set(transactionId, { paymentStatus: 'PAGO', deliveryStatus: 'ENTREGUE' })
    }
    const reply = goodReply(request)
    const shown = method === 'GET' ? platform.shown.get(transactionId) : undefined
    if (!shown) return reply
    return { status: 200, body: JSON.stringify({ data: { ...JSON.parse(reply.body ?? '').data, ...shown } }) }
  }

  const takeoversMs: number[] = []
  let isStorm = true
  let told = 0
  const time = () => new Date().toISOString()
  const count = { purchases: 0, uncertain: 0, sales: 0, restocked: 0, faults: {} as Record<string, number> }

  /** Repeats a call with its id on any host until it has an answer. */
  async function answerOf(operation: string, input: object, id: string | undefined, of = hosts): Promise<HostAnswer> {
    for (;;) {
      const answer = await anyHost(of).call(operation, input, id)
      // 408: the agent was paused while it read the request.
      const mayRepeat = !answer || [408, 503].includes(answer.status ?? 0) || answer.code === 'CALL_UNDER_WAY'
      if (answer && !mayRepeat) return answer
      await wait(random.integer(50, 500))
    }
  }

  async function buy(): Promise<void> {
    const n = ++count.purchases
    const input = { itemRef: `bought-${n}`, quantity: 1, buyerCharacterRef: 'char-2' }
    const first = await answerOf('transaction.create', input, `buy-${n}`)
    await wait(random.integer(2_000, 6_000))
    const again = await answerOf('transaction.create', input, `buy-${n}`)
    const acted = platform.actedOn('POST', '/v1/api/transactions', input)
    const what = `buy-${n}: ${JSON.stringify(first)}, then ${JSON.stringify(again)}, and the platform acted ${acted} times`
    if (first.uncertain) count.uncertain++
    if (acted > 1) findings.add('doubled', `a purchase was made twice: ${what}`)
    // A replayed answer may come from the store while the agent that made the call still waits for its commit. That agent
    // then gives the answer of the call itself, without the mark.
    const given = first.replayed ? { ...again, replayed: true } : again
    if (first.ok && !isDeepStrictEqual(given, { ...first, replayed: true }))
      findings.add('doubled', `two answers: ${what}`)
    if (first.ok && acted !== 1) findings.add('lost', `claimed what did not happen: ${what}`)
    if (first.uncertain && again.ok) findings.add('other', `doubt was taken back: ${what}`)
    if (!first.ok && !first.uncertain && acted > 0) findings.add('other', `denied what happened: ${what}`)
  }

  async function adjust(itemRef: string): Promise<void> {
    for (let observedQuantity = 1; isStorm; observedQuantity++) {
      await anyHost().call('market.adjust-stock', { itemRef, observedQuantity })
      await wait(random.integer(10, 200))
    }
  }

  /** Three observations of an item that nothing else calls, each from any host. None may have to wait for ever. */
  async function restock(): Promise<void> {
    const itemRef = `shelf-${++count.restocked}`
    for (const observedQuantity of [1, 2, 3]) {
      for (let attempt = 1; ; attempt++) {
        const id = `${itemRef}-${observedQuantity}-${attempt}`
        const { ok } = await answerOf('market.adjust-stock', { itemRef, observedQuantity }, id)
        if (ok) break
      }
      await wait(random.integer(0, 4_000))
    }
  }

  const given = new Map<number, string>()
  let isServing = true
  /** One game server of a world, which asks any agent of its world. */
  async function serve(world: string): Promise<void> {
    const own = hosts.filter((host) => host.world === world)
    while (isServing) {
      const answer = await anyHost(own).call('orders.open', {})
      const { orders = [] } = (answer?.data ?? {}) as {
        orders?: { transactionId: number; itemRef: string; state: string }[]
      }
      for (const { transactionId, itemRef, state } of orders) {
        if (itemRef !== `of-${world}`) findings.add('other', `order ${transactionId} of ${itemRef} in world ${world}`)
        if (state !== 'offered') continue
        given.set(transactionId, world)
        const reply = { transactionId, observedQuantity: 5, result: 'DELIVERED' }
        await anyHost(own).call('orders.take', reply)
      }
      await wait(200)
    }
  }

  /** The platform sends a webhook to any host until one takes it. */
  async function sell(): Promise<void> {
    const transactionId = ++count.sales
    const world = random.pick(worlds)
    const order = { ...event, transactionId, itemRef: `of-${world}` }
    for (;;) {
      const url = await anyHost().webhookUrl()
      const answer = url === undefined ? undefined : await sendWebhook(url, order).catch(() => undefined)
      if (answer?.status === 200) break
      if (answer && answer.status !== 503) findings.add('other', `order ${transactionId} was answered ${answer.status}`)
      await wait(random.integer(200, 1_000))
    }
    if (!given.has(transactionId)) findings.add('lost', `order ${transactionId} was acknowledged before it was given`)
  }

  for (const world of worlds) {
    const own = hosts.filter((host) => host.world === world)
    const input = { ...goodInputs['market.register'], itemRef: `of-${world}` }
    await answerOf('market.register', input, undefined, own)
  }
  const working = new Set<Promise<void>>()
  const track = (work: Promise<void>) => {
    working.add(work)
    void work.finally(() => working.delete(work))
  }
  const serving = worlds.map(serve)
  for (const itemRef of ['stock-1', 'stock-2']) for (let n = 0; n < 3; n++) track(adjust(itemRef))
  const killed = () => hosts.reduce((sum, { kills }) => sum + kills, 0)
  const raging = (async () => {
    for (let fault = storm.next(hosts, random); fault; fault = storm.next(hosts, random)) {
      const times = (count.faults[fault.name] ?? 0) + 1
      count.faults[fault.name] = times
      await fault.happen({ hosts, random, takeoversMs })
      if (times % 10 === 0)
        say(`${time()} ${JSON.stringify({ ...count, kills: killed(), takeoversMs: Math.max(0, ...takeoversMs) })}`)
      for (const text of findings.texts.slice(told)) say(`${time()} VIOLATION: ${text}`)
      told = findings.texts.length
    }
    isStorm = false
  })()
  while (isStorm) {
    if (working.size < workAtOnce) track(random.pick([buy, sell, restock])())
    await wait(random.integer(20, 150))
  }
  await raging
  say(`the storm is over: ${JSON.stringify(count)}`)
  const isQuiet = async () => {
    if (working.size > 0 || delivered.size < count.sales) return false
    const open = await Promise.all(hosts.map((host) => host.call('orders.open', {})))
    return open.every((answer) => answer?.ok && (answer.data as { orders: unknown[] }).orders.length === 0)
  }
  const quietEndMs = performance.now() + quietMsMax
  while (!(await isQuiet()) && performance.now() < quietEndMs) await wait(500)
  isServing = false
  await Promise.all(serving)
  const undelivered = count.sales - delivered.size
  if (working.size > 0) findings.add('stranded', `${working.size} pieces of work came to no end`, working.size)
  if (undelivered > 0) findings.add('lost', `${undelivered} sales are not delivered`, undelivered)
  for (const end of hosts.flatMap(({ unexpected }) => unexpected)) findings.add('other', JSON.stringify(end))
  for (const fault of platform.faults) findings.add('other', fault)
  if (findings.texts.length > 0) for (const { name, lastLines } of hosts) say(`${name}: ${lastLines}`)
  const takeoverMsMax = Math.max(0, ...takeoversMs)
  if (takeoverMsMax > 20_000) findings.add('other', `a take-over took ${takeoverMsMax} ms`)
  return {
    ...count,
    ...findings.counts,
    kills: killed(),
    starts: hosts.reduce((sum, { starts }) => sum + starts, 0),
    minutes: Math.round((performance.now() - startMs) / 6_000) / 10,
    takeovers: takeoversMs.length,
    takeoverMsMax,
    violations: findings.texts,
  }
}
