import { expect } from 'vitest'
import type { Order } from '../../../../agent/orders/order.ts'
import { TestClock } from '../../fixtures/test-clock.ts'
import { openTestLedger } from '../../fixtures/test-ledger.ts'
import { GameServer, type Way } from './game-server.ts'
import { type Life, startLife } from './life.ts'
import { isAwaited, Platform } from './platform.ts'
import { Reports } from './reports.ts'
import { Traces } from './trace.ts'
import { Webhooks } from './webhooks.ts'

/**
 * The platform, the agent's orders over a real ledger, and a game server. Time stands still until every effect of what
 * was done is there.
 */
export class World implements AsyncDisposable {
  readonly clock = new TestClock()
  readonly platform = new Platform(() => this.clock.wallMs())
  readonly traces = new Traces()
  readonly webhooks = new Webhooks(this)
  readonly reports = new Reports(this)
  readonly gameServer: GameServer
  /** The agent, while it runs. */
  life: Life | undefined
  /** Everybody does at once what is asked, and nothing fails. */
  isHealthy = false
  steps = 0
  readonly #stored = openTestLedger()

  constructor(way: Way) {
    this.gameServer = new GameServer(this, way)
  }

  async start(): Promise<void> {
    this.life = startLife({
      ledger: await this.#stored.reopen(),
      clock: this.clock,
      handover: (given) => this.gameServer.handover(given),
      platform: { platformMs: () => this.clock.wallMs(), getTransaction: (id) => this.reports.ask(id) },
      onLine: (line) => {
        if (line.includes('a bug of the agent')) this.traces.bugs.push(line)
      },
    })
    await this.settle()
  }

  /** As kill -9. */
  kill(): void {
    this.life?.end()
    this.life = undefined
    this.webhooks.breakAll()
    this.gameServer.pushes.length = 0
    this.reports.questions.length = 0
  }

  /** As SIGTERM, without a wait for its end. */
  async stop(): Promise<void> {
    void this.life?.orders.stop()
    await this.settle()
    this.kill()
  }

  /** What the ledger's file says. */
  row({ transactionId }: { transactionId: number }): Promise<Order | undefined> {
    return this.#stored.ledger.find(transactionId)
  }

  /** Whether what is done now is recorded. */
  get isSure(): boolean {
    const { ledger } = this.life ?? {}
    return ledger !== undefined && !ledger.isFull && ledger.death === undefined
  }

  /** The agent gets to know how much of an item is left. */
  observe(itemRef: string, observedQuantity: number): void {
    this.traces.observed.set(itemRef, this.isSure ? observedQuantity : undefined)
  }

  /** Resolves when everything that was begun has had its effect. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < 3; quiet++) {
      await new Promise(setImmediate)
      if ((this.life?.ledger.pending ?? 0) > 0) quiet = -1
    }
    if (this.life?.ledger.isDead) this.kill()
    this.gameServer.eventNames()
  }

  /** Lets time pass, from one thing that comes due to the next. */
  async advance(ms: number): Promise<void> {
    const endMs = this.clock.wallMs() + ms
    for (;;) {
      await this.settle()
      await this.webhooks.sendDue()
      const restMs = endMs - this.clock.wallMs()
      if (restMs <= 0) return
      this.clock.advance(Math.min(restMs, this.#msToNext()))
    }
  }

  #msToNext(): number {
    const nowMs = this.clock.wallMs()
    const due = this.webhooks.dueMs().filter((atMs) => atMs > nowMs)
    const nextMs = Math.min(this.clock.msToNextTimer ?? Number.POSITIVE_INFINITY, ...due.map((atMs) => atMs - nowMs))
    // The scans of files are too many to be followed one by one.
    return this.gameServer.way === 'files' ? Math.max(nextMs, 1_000) : nextMs
  }

  /** What must hold after every step. */
  async check(): Promise<void> {
    this.steps++
    expect(this.traces.bugs).toEqual([])
    for (const sale of this.platform.sales) {
      const row = await this.row(sale)
      if (row?.paidAtMs === sale.paidMs && isAwaited(sale))
        expect(row.phase, `nothing is closed too early: ${sale.transactionId}`).not.toMatch(/closed|lost/)
    }
  }

  /** Everybody recovers. Then each order that was paid reaches its end, and nothing is open any more. */
  async heal(): Promise<void> {
    if (!this.life) await this.start()
    if (this.life) Object.assign(this.life.ledger, { isFull: false, death: undefined })
    this.isHealthy = true
    const { calls, questions } = this.reports
    for (const call of [...calls]) {
      this.reports.act(call)
      await this.reports.end(call, false)
    }
    for (const push of [...this.gameServer.pushes]) this.gameServer.failPush(push, false)
    for (const question of [...questions]) await this.reports.answerQuestion(question)
    const endMs = this.clock.wallMs() + 2 * 3_600_000
    for (;;) {
      const unfinished = await this.#unfinished()
      if (unfinished === '') return
      expect(this.clock.wallMs(), `all is over in two hours: ${unfinished}`).toBeLessThan(endMs)
      await this.advance(30_000)
      await this.#play()
      await this.check()
    }
  }

  /** What a careful game server, the staff and the platform do. */
  async #play(): Promise<void> {
    const { gameServer, platform, reports } = this
    for (const name of gameServer.eventNames()) await gameServer.replyToFile(name, 5)
    if (this.gameServer.way === 'ask')
      for (const transactionId of await gameServer.offered()) await gameServer.take(platform.saleOf(transactionId), 5)
    for (const sale of platform.sales.filter(({ endedMs }) => endedMs === null)) {
      if (sale.delivery === 'EM_DISPUTA') platform.rejectDispute(sale)
      if (sale.delivery === 'AGUARDANDO_SERVIDOR' && gameServer.held.has(sale)) await reports.call(sale, undefined, 0)
      if (sale.delivery === 'ENTREGUE') platform.complete(sale)
      if (sale.delivery === 'FALHOU') platform.refund(sale)
    }
  }

  async #unfinished(): Promise<string> {
    const { ledger } = this.#stored
    const open = await ledger.findOpen()
    const ends = this.gameServer.way === 'ask' ? [] : await ledger.findUnconfirmedEnds()
    const sales = this.platform.sales.filter(({ end }) => end?.state !== 'acknowledged')
    return [
      ...open.map(({ transactionId, phase }) => `${transactionId} is ${phase}`),
      ...ends.map(({ transactionId }) => `the end of ${transactionId} is not confirmed`),
      ...sales.map(({ transactionId, delivery }) => `${transactionId} is ${delivery} at the platform`),
    ].join(', ')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill()
    this.gameServer[Symbol.dispose]()
    await this.#stored[Symbol.asyncDispose]()
  }
}
