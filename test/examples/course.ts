import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { StagedAgent } from '../../scripts/demo/stage.ts'
import { expectThat } from '../../scripts/demo/steps.ts'
import { until } from '../../scripts/until.ts'
import type { Example } from './examples.ts'
import type { GameServer } from './game-server.ts'
import type { Market } from './market.ts'

export const seller = 'aldebara'

/** What a course is run with. */
export interface CourseParts {
  readonly example: Example
  readonly game: GameServer
  readonly agent: StagedAgent
  readonly market: Market
  readonly spoolDir: string
  /** Where an example that is pushed its orders takes them. */
  readonly forwardUrl: string
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

  /** A buyer buys and pays. @returns The transaction. */
  async sell(item: string, quantity: number, buyer: string): Promise<number> {
    const { game, market } = this.parts
    const url = await game.command(`buy ${item} ${quantity} ${buyer}`)
    expectThat(/^https?:\/\//.test(url), `buy answered ${url}`)
    return market.pay(url)
  }

  /** A command that has to go well. */
  async must(line: string): Promise<void> {
    const said = await this.parts.game.command(line)
    expectThat(said === 'ok', `${line} answered ${said}`)
  }

  /** Units go in the game, and the platform gets to know it. */
  async sellInTheGame(item: string, quantity: number): Promise<void> {
    await this.must(`sold ${item} ${quantity}`)
    this.stock.set(item, Number(this.stock.get(item)) - quantity)
  }

  offerIs(item: string, state: string, triesMin = 0): Promise<unknown> {
    return until(async () => {
      const offer = this.parts.game.world().offers.find((candidate) => candidate.item === item)
      return offer?.state === state && offer.tries >= triesMin
    }, `${item} ${state}`)
  }

  stateOf(transactionId: number): string | undefined {
    return this.parts.game.world().orders.find(({ id }) => id === transactionId)?.state
  }

  orderIs(transactionId: number, ...states: string[]): Promise<unknown> {
    return until(
      async () => states.includes(this.stateOf(transactionId) ?? ''),
      `order ${transactionId} ${states.join(' or ')}`,
    )
  }

  /** Waits until platform and game server agree that a transaction is over, and how. */
  async endsAs(transactionId: number, outcome: 'CONCLUIDA' | 'ESTORNADA'): Promise<void> {
    const { market } = this.parts
    await until(async () => {
      const sale = await market.sale(transactionId)
      return sale.outcome === outcome
    }, `${outcome} of transaction ${transactionId}`)
    await this.orderIs(transactionId, 'closed')
    const mails = this.parts.game.world().mail.filter(({ id }) => id === transactionId).length
    expectThat(mails === (outcome === 'CONCLUIDA' ? 1 : 0), `transaction ${transactionId} is in ${mails} mails`)
  }

  /** Waits until the platform has accepted so many reports of TEMPORARY about a transaction. */
  putOffTimes(transactionId: number, count: number): Promise<unknown> {
    return until(async () => {
      const { history } = await this.parts.market.sale(transactionId)
      return history.filter(({ trigger }) => trigger === 'fail-temporary').length === count
    }, `report ${count} of TEMPORARY about ${transactionId}`)
  }

  /** Time passes until the platform sends an order again that was put off. */
  async passUntilRetry(transactionId: number): Promise<void> {
    await this.orderIs(transactionId, 'put-off')
    const { retryAt } = await this.parts.market.sale(transactionId)
    expectThat(retryAt !== null, `transaction ${transactionId} has no retryAt`)
    await this.parts.market.passUntil(String(retryAt))
  }

  /** Restarts the game server without one of its offers. @returns The line that is gone. */
  async loseOffer(item: string): Promise<string> {
    const { game } = this.parts
    const isOffer = (line: string) => line.startsWith(`offer ${item} `)
    await game.kill()
    const offer = game.savedText().split('\n').find(isOffer) ?? ''
    game.editWorld((line) => (isOffer(line) ? [] : [line]))
    await game.start()
    return offer
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

  /**
   * Gives the game server an order that it had before, as the agent may. @returns Its reply; undefined where an example asks
   * for its orders.
   */
  async giveAgain(transactionId: number): Promise<unknown> {
    const { example, market, forwardUrl } = this.parts
    const webhook = (await market.webhooks(transactionId)).find(({ event }) => event === 'transfer_order')
    const text = JSON.stringify(webhook?.payload)
    if (example.orders === 'asked') return undefined
    if (example.orders === 'files') return this.#giveFile(`transfer_order-${transactionId}.json`, text)
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(forwardUrl, { method: 'POST', headers, body: text })
    expectThat(response.ok, `the repeated order was answered with ${response.status}`)
    return response.json()
  }

  /** The agent sets a reply aside that it does not wait for. */
  async #giveFile(name: string, text: string): Promise<unknown> {
    const [event, reply] = [join(this.parts.spoolDir, 'events', name), join(this.parts.spoolDir, 'replies', name)]
    const aside = `${reply}.rejected`
    writeFileSync(`${event}.tmp`, text)
    renameSync(`${event}.tmp`, event)
    await until(async () => existsSync(aside), aside)
    rmSync(event)
    return JSON.parse(readFileSync(aside, 'utf8'))
  }
}
