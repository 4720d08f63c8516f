import { expect } from 'vitest'
import type { CallAnswer } from '../../../../agent/call/answer.ts'
import { type PlatformCall, readCall } from '../../../../agent/call/call.ts'
import { StoreFullError } from '../../../../agent/database/store-errors.ts'
import { isOffered } from '../../../../agent/orders/order-moves.ts'
import type { Life } from './life.ts'
import { isAwaited, type ReportResult, type Sale } from './platform.ts'
import type { World } from './world.ts'

type Reason = 'OUT_OF_STOCK' | 'TEMPORARY' | undefined

/** A call of the game server on its way through the agent. Without a reason it confirms a delivery. */
interface ReportCall {
  readonly life: Life
  readonly sale: Sale
  readonly call: PlatformCall
  readonly reason: Reason
  result: ReportResult | undefined
}

/** A `transaction.get` of the agent. */
interface Question {
  readonly sale: Sale
  readonly at: number
  /** What the platform read; undefined while it has not read the question. */
  data: object | undefined
  readonly answer: (answer: CallAnswer) => void
}

const noAnswer: CallAnswer = { ok: false, status: 504, messageText: '"x"', uncertain: true }

function answerOf(result: ReportResult | undefined): CallAnswer {
  if (!result) return noAnswer
  if (result.status === 200) return { ok: true, dataText: JSON.stringify(result.data) }
  return { ok: false, status: result.status, messageText: '"x"', uncertain: false }
}

function callOf(operation: string, input: object): PlatformCall {
  const reading = readCall({ operation, input, id: undefined })
  if (!reading.ok) throw new Error(operation)
  return reading.call as PlatformCall
}

/** The calls of the game server and the questions of the agent, on their way to the platform and back. */
export class Reports {
  readonly calls: ReportCall[] = []
  readonly questions: Question[] = []
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  /** A call leaves, unless another one of its transaction is under way. */
  async start(sale: Sale, reason: Reason, observedQuantity: number): Promise<ReportCall | undefined> {
    const { life, traces } = this.#world
    if (!life || this.calls.some((call) => call.life === life && call.sale === sale)) return undefined
    const { transactionId } = sale
    const call = reason
      ? callOf('transaction.delivery-failure', { transactionId, reason, observedQuantity })
      : callOf('transaction.delivery', { transactionId })
    let hasBegun = false
    const begin = async () => {
      await life.orders.reports.begin(call)
      hasBegun = true
    }
    begin().catch((error) => this.#note(error))
    await this.#world.settle()
    const row = await this.#world.row(sale)
    if (reason === 'TEMPORARY' && row?.phase === 'put-off') {
      const trace = traces.of(sale)
      trace.resetAt = traces.next()
      trace.putOffAt = trace.resetAt
    }
    if (!hasBegun) return undefined
    if (reason === 'TEMPORARY' && row) expect(['put-off', 'closed', 'lost']).toContain(row.phase)
    const begun: ReportCall = { life, sale, call, reason, result: undefined }
    this.calls.push(begun)
    return begun
  }

  /** The call reaches the platform, also when the agent that sent it has ended. */
  act(call: ReportCall): void {
    const { platform, life } = this.#world
    const { sale, reason } = call
    if (platform.saleOf(sale.transactionId) === sale)
      call.result ??= reason ? platform.fail(sale, reason) : platform.deliver(sale)
    if (call.life !== life) remove(this.calls, call)
  }

  /** The answer reaches the agent, or is lost. */
  async end(call: ReportCall, isLost: boolean): Promise<void> {
    remove(this.calls, call)
    if (call.life !== this.#world.life) return
    const answer = isLost ? noAnswer : answerOf(call.result)
    const { observedQuantity } = call.call.input
    if (answer.ok && call.reason && (await this.#world.row(call.sale)))
      this.#world.observe(call.sale.itemRef, Number(observedQuantity))
    await this.#end(call.call, answer)
  }

  /** A call that nothing happens to. */
  async call(sale: Sale, reason: Reason, observedQuantity: number): Promise<void> {
    const call = await this.start(sale, reason, observedQuantity)
    if (!call) return
    this.act(call)
    await this.end(call, false)
  }

  /** An accepted `market.adjust-stock`. The ledger notes it where it has orders of the item. */
  async adjustStock(itemRef: string, observedQuantity: number): Promise<void> {
    const rows = await Promise.all(this.#world.platform.sales.map((sale) => this.#world.row(sale)))
    if (rows.some((row) => row?.itemRef === itemRef)) this.#world.observe(itemRef, observedQuantity)
    await this.#end(callOf('market.adjust-stock', { itemRef, observedQuantity }), { ok: true, dataText: 'null' })
  }

  async #end(call: PlatformCall, answer: CallAnswer): Promise<void> {
    this.#world.life?.orders.reports.end(call, answer).catch((error) => this.#note(error))
    await this.#world.settle()
  }

  #note(error: unknown): void {
    if (!(error instanceof StoreFullError)) this.#world.traces.bugs.push(String(error))
  }

  /** The agent asks about a transaction. */
  ask(transactionId: number): Promise<CallAnswer> {
    const { platform, traces, isHealthy } = this.#world
    const sale = platform.saleOf(transactionId)
    if (isHealthy) return Promise.resolve(answerOf({ status: 200, data: platform.read(sale) }))
    const { promise, resolve } = Promise.withResolvers<CallAnswer>()
    // A question that waited for others belongs to their sweep: what moved since the sweep began is left for the next.
    const at = Math.min(traces.next(), ...this.questions.map((earlier) => earlier.at))
    this.questions.push({ sale, at, data: undefined, answer: resolve })
    return promise
  }

  /** The platform reads the transaction now. Its answer arrives later. */
  readQuestion(question: Question): void {
    question.data ??= this.#world.platform.read(question.sale)
  }

  /** The answer reaches the agent: as it was when the platform read it, or else as it is now. */
  async answerQuestion(question: Question): Promise<void> {
    const { sale, at } = question
    const { platform, traces, clock } = this.#world
    this.readQuestion(question)
    remove(this.questions, question)
    question.answer(answerOf({ status: 200, data: question.data ?? {} }))
    await this.#world.settle()
    const row = await this.#world.row(sale)
    const { replyAt, putOffAt } = traces.of(sale)
    const hasMoved = replyAt > at || putOffAt > at || platform.saleOf(sale.transactionId) !== sale
    const isPutOff = (row?.retryAtMs ?? 0) > clock.wallMs()
    const isAwaitedThen = JSON.stringify(question.data).includes('AGUARDANDO_SERVIDOR')
    if (!row || hasMoved || isPutOff || !isAwaitedThen || !isAwaited(sale) || !this.#world.isSure) return
    expect(isOffered(row.phase), `what the platform still awaits is offered: ${sale.transactionId}`).toBe(true)
  }

  async failQuestion(question: Question): Promise<void> {
    remove(this.questions, question)
    question.answer(noAnswer)
    await this.#world.settle()
  }
}

function remove<Item>(list: Item[], item: Item): void {
  const at = list.indexOf(item)
  if (at >= 0) list.splice(at, 1)
}
