import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Stage, StagedAgent } from '../../scripts/demo/stage.ts'
import { expectThat } from '../../scripts/demo/steps.ts'
import { until } from '../../scripts/until.ts'
import type { Example } from './examples.ts'
import type { GameServer } from './game-server.ts'
import type { Market } from './market.ts'
import type { Wire } from './wire.ts'

export const seller = 'aldebara'

/** What a course is run with. */
export interface CourseParts {
  readonly example: Example
  readonly stage: Stage
  readonly game: GameServer
  readonly agent: StagedAgent
  readonly market: Market
  /** In front of the agent, and in front of the game server. */
  readonly agentWire: Wire
  readonly gameWire: Wire
  readonly spoolDir: string
  /** Where the agent takes the platform's webhooks. */
  readonly bridgeUrl: string
  /** Where an example that is pushed its orders takes them, and the token that it knows its agent by. */
  readonly ordersUrl: string
  readonly forwardToken: string
}

/** One example under test: what its steps do again and again, and what the audit must know. */
export class Course {
  readonly parts: CourseParts
  /** What must be there of each item in the end, before deliveries. */
  readonly stock = new Map<string, number>()

  constructor(parts: CourseParts) {
    this.parts = parts
  }

  /** Offers an item. @returns What the console said. */
  offer(item: string, quantity: number, cents: number): Promise<string> {
    this.stock.set(item, quantity)
    return this.parts.game.command(`list ${item} ${seller} ${quantity} ${cents}`)
  }

  /** A buyer chooses. @returns Where to pay. */
  async choose(item: string, quantity: number, buyer: string): Promise<string> {
    const url = await this.parts.game.command(`buy ${item} ${quantity} ${buyer}`)
    expectThat(/^https?:\/\//.test(url), `buy answered ${url}`)
    return url
  }

  /** A buyer buys and pays. @returns The transaction. */
  async sell(item: string, quantity: number, buyer: string): Promise<number> {
    return this.parts.market.pay(await this.choose(item, quantity, buyer))
  }

  /** A command that has to go well. */
  async must(line: string): Promise<void> {
    const said = await this.parts.game.command(line)
    expectThat(said === 'ok', `${line} answered ${said}`)
  }

  /** A command that has to be refused, and to change nothing. */
  async mustNot(line: string): Promise<void> {
    const before = this.parts.game.world()
    const said = await this.parts.game.command(line)
    expectThat(/^recusado: \S/.test(said), `${line} answered ${said}`)
    expectThat(isDeepStrictEqual(this.parts.game.world(), before), `${line} was refused, and changed the world`)
  }

  /** Units go in the game, and the platform gets to know it. */
  async sellInTheGame(item: string, quantity: number): Promise<void> {
    await this.must(`sold ${item} ${quantity}`)
    this.stock.set(item, Number(this.stock.get(item)) - quantity)
  }

  offerIs(item: string, state: string): Promise<unknown> {
    return until(
      async () => this.parts.game.world().offers.some((offer) => offer.item === item && offer.state === state),
      `${item} ${state}`,
    )
  }

  resultOf(transactionId: number): string | undefined {
    return this.parts.game.world().orders.find(({ id }) => id === transactionId)?.result
  }

  orderIs(transactionId: number, result: string): Promise<unknown> {
    return until(async () => this.resultOf(transactionId) === result, `order ${transactionId} ${result}`)
  }

  /** Waits until platform and game server agree that a transaction is over, and how. */
  async endsAs(transactionId: number, outcome: 'CONCLUIDA' | 'ESTORNADA'): Promise<void> {
    const { game, market } = this.parts
    await until(async () => {
      const sale = await market.sale(transactionId)
      return sale.outcome === outcome
    }, `${outcome} of transaction ${transactionId}`)
    if (outcome === 'CONCLUIDA') await this.orderIs(transactionId, 'DELIVERED')
    const mails = game.world().mail.filter(({ id }) => id === transactionId).length
    expectThat(mails === (outcome === 'CONCLUIDA' ? 1 : 0), `transaction ${transactionId} is in ${mails} mails`)
  }

  printed(line: string): Promise<unknown> {
    return until(async () => this.parts.game.printed.includes(line), `line "${line}"`)
  }

  /**
   * The platform refuses the reports of an operation until it is mended. A game server that makes them tries again
   * soon.
   */
  refuseReports(operation: string): Promise<void> {
    const { example, market } = this.parts
    return market.refuseCalls(operation, example.reports === 'by-itself' ? undefined : 1)
  }

  /** Waits until the platform has accepted this many reports of TEMPORARY about a transaction. */
  putOffTimes(transactionId: number, count: number): Promise<unknown> {
    return until(async () => {
      const { history } = await this.parts.market.sale(transactionId)
      return history.filter(({ trigger }) => trigger === 'fail-temporary').length === count
    }, `report ${count} of TEMPORARY about ${transactionId}`)
  }

  /** Time passes until the platform sends an order again that was put off. */
  async passUntilRetry(transactionId: number): Promise<void> {
    await this.orderIs(transactionId, 'TEMPORARY')
    const { retryAt } = await this.parts.market.sale(transactionId)
    expectThat(retryAt !== null, `transaction ${transactionId} has no retryAt`)
    await this.parts.market.passUntil(String(retryAt))
  }

  quantityOf(item: string): number | undefined {
    return this.parts.game.world().offers.find((offer) => offer.item === item)?.quantity
  }

  async isObservedAs(item: string, quantity: number): Promise<void> {
    await until(async () => {
      const { observedQuantity } = await this.parts.market.listing(item)
      return observedQuantity === quantity
    }, `observation ${quantity} of ${item}`)
  }

  /** The agent ends as in a crash. A caller is refused the connection. */
  async killAgent(): Promise<void> {
    await this.parts.agentWire.close()
    await this.parts.agent.kill()
  }

  async startAgent(): Promise<void> {
    await this.parts.agent.startAgain()
    await this.parts.agentWire.open()
  }

  /** The agent's open orders: transaction and state. */
  async openOrders(): Promise<readonly { readonly transactionId: number; readonly state: string }[]> {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ operation: 'orders.open', input: {} })
    const response = await fetch(`${this.parts.agent.url}/call`, { method: 'POST', headers, body })
    const { data } = (await response.json()) as { data: { orders: { transactionId: number; state: string }[] } }
    return data.orders
  }

  /** Waits until the agent would hand an order over. */
  isOffered(transactionId: number): Promise<unknown> {
    return until(
      async () => (await this.openOrders()).some((o) => o.transactionId === transactionId && o.state === 'offered'),
      `order ${transactionId} in the agent`,
    )
  }

  /**
   * Gives the game server an order that it had before, as the agent may. @returns Its reply; undefined where an example asks
   * for its orders.
   */
  async giveAgain(transactionId: number): Promise<unknown> {
    const { example, market, ordersUrl, forwardToken } = this.parts
    const webhook = (await market.webhooks(transactionId)).find(({ event }) => event === 'transfer_order')
    const event = { ...webhook?.payload }
    if (example.orders === 'asked') return undefined
    if (example.orders === 'files') return this.#giveFile(transactionId, event)
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${forwardToken}` }
    const response = await fetch(ordersUrl, { method: 'POST', headers, body: JSON.stringify(event) })
    expectThat(response.ok, `the repeated order was answered with ${response.status}`)
    return response.json()
  }

  /** Writes the file of an order as the agent would. */
  writeEvent(transactionId: number, event: object): void {
    const actUntil = new Date(Date.now() + 120_000).toISOString()
    this.replaceFile('events', orderFile(transactionId), JSON.stringify({ ...event, actUntil }))
  }

  replaceFile(dir: string, name: string, text: string): void {
    const path = join(this.parts.spoolDir, dir, name)
    writeFileSync(`${path}.tmp`, text)
    renameSync(`${path}.tmp`, path)
  }

  filesIn(dir: string): string[] {
    const path = join(this.parts.spoolDir, dir)
    return existsSync(path) ? readdirSync(path).filter((name) => name.endsWith('.json')) : []
  }

  /** The agent sets a reply aside that it does not wait for. */
  async #giveFile(transactionId: number, event: object): Promise<unknown> {
    const aside = join(this.parts.spoolDir, 'replies', `${orderFile(transactionId)}.rejected`)
    this.writeEvent(transactionId, event)
    await until(async () => existsSync(aside), aside)
    rmSync(join(this.parts.spoolDir, 'events', orderFile(transactionId)))
    return JSON.parse(readFileSync(aside, 'utf8'))
  }
}

/** The file of an order that was not put off before. */
export function orderFile(transactionId: number): string {
  return `transfer_order-${transactionId}.json`
}
