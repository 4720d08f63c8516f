import { pino } from 'pino'
import { type CallAnswer, refuse } from '../../../../agent/call/answer.ts'
import type { CallReports } from '../../../../agent/call/answer-call.ts'
import type { PlatformCall } from '../../../../agent/call/call.ts'
import type { Clock } from '../../../../agent/clock/clock.ts'
import type { Message, Reply } from '../../../../agent/orders/message.ts'
import { isOver } from '../../../../agent/orders/order-moves.ts'
import { Orders } from '../../../../agent/orders/orders.ts'
import type { OrdersPlatform } from '../../../../agent/orders/platform-port.ts'
import { receiveWebhook } from '../../../../agent/webhook-bridge/receive-webhook.ts'
import { operationNamed } from '../../../../contract/operations.ts'
import type { OrderResult } from '../../../../contract/order-reply.ts'
import {
  phaseOf,
  type TransactionPhase,
  transactionMoves,
  transactionPhases,
} from '../../../../contract/transaction.ts'
import { TestClock } from '../../fixtures/test-clock.ts'
import { memoryLedger, type Rows } from './memory-ledger.ts'

/** A purchase at the platform. */
export interface Sale {
  readonly transactionId: number
  phase: TransactionPhase
  isDelivered: boolean
  /** When the order is sent again after `TEMPORARY`; null when it is not to be. */
  retryMs: number | null
  /** Whether the webhook of its order, or of its end, is still to be acknowledged. */
  isOrderPending: boolean
  isEndPending: boolean
  /** When the platform stopped waiting, or a dispute was opened. */
  notAwaitedSinceMs: number | null
}

const triggers = { DELIVERED: 'deliver', OUT_OF_STOCK: 'fail-out-of-stock', TEMPORARY: 'fail-temporary' } as const
const iso = (ms: number) => new Date(ms).toISOString()
const paidMs = Date.UTC(2026, 10, 21)

/** The platform, the agent's orders over rows that survive it, and a game server that keeps one word for each order. */
export class World {
  readonly clock = new TestClock()
  readonly sales: Sale[] = []
  /** What the game server knows, with its result; it is saved before it replies. */
  readonly known = new Map<number, OrderResult>()
  /** Violated promises. */
  readonly faults: string[] = []
  /** Items that were given, by transaction. */
  readonly given: number[] = []
  isPlatformUp = true
  /** What the game server does with the next orders. */
  nextResult: OrderResult | 'dies' | 'loses its reply' = 'DELIVERED'
  readonly #rows: Rows = { orders: new Map(), observations: new Map() }
  #life: { readonly orders: Orders; isDead: boolean; readonly cancels: Set<() => void> } | undefined

  start(): void {
    const cancels = new Set<() => void>()
    const life = { isDead: false, cancels }
    const clock: Clock = {
      wallMs: () => this.clock.wallMs(),
      monotonicMs: () => this.clock.monotonicMs(),
      after: (delayMs, callback) => {
        const cancel = this.clock.after(delayMs, callback)
        cancels.add(cancel)
        return cancel
      },
      sleep: (delayMs) => this.clock.sleep(delayMs),
      nextTurn: () => this.clock.nextTurn(),
    }
    const onLine = (line: string) => void (line.includes('a bug of the agent') && this.faults.push(line))
    const log = pino({ level: 'trace' }, { write: onLine })
    const ledger = memoryLedger(this.#rows, () => life.isDead)
    const push = async (message: Message) => (life.isDead ? new Promise<never>(() => undefined) : this.#take(message))
    const onObserved = async () => undefined
    const platform = this.#platform(() => orders.reports)
    const orders = new Orders({ ledger, platform, clock, log, channel: 'url', push, files: undefined, onObserved })
    this.#life = Object.assign(life, { orders })
    void orders.start()
  }

  /** As kill -9. */
  kill(): void {
    if (!this.#life) return
    this.#life.isDead = true
    for (const cancel of this.#life.cancels) cancel()
    this.#life = undefined
  }

  sell(): void {
    const transactionId = this.sales.length + 1
    const pending = { isDelivered: false, retryMs: null, isOrderPending: true, isEndPending: false }
    this.sales.push({ transactionId, phase: 'awaiting-server', ...pending, notAwaitedSinceMs: null })
  }

  /** The buyer, the staff or time: whatever the table of moves allows. */
  move(sale: Sale, trigger: 'dispute' | 'reject-dispute' | 'refund' | 'complete'): void {
    const to = transactionMoves[sale.phase][trigger]
    if (!to) return
    sale.phase = to === 'where-it-was' ? (sale.isDelivered ? 'delivered' : 'awaiting-server') : to
    this.#note(sale)
  }

  /** The platform sends every webhook that is pending. */
  async deliver(): Promise<void> {
    for (const sale of this.sales) {
      if (sale.retryMs !== null && sale.retryMs <= this.clock.wallMs()) sale.isOrderPending = true
      if (sale.isOrderPending && transactionPhases[sale.phase].outcome === null)
        await this.#send(sale, 'transfer_order')
      if (sale.isEndPending) await this.#send(sale, 'transaction_terminal')
    }
  }

  async advance(ms: number): Promise<void> {
    for (let passedMs = 0; passedMs < ms; passedMs += 1_000) {
      this.clock.advance(Math.min(1_000, ms - passedMs))
      await this.settle()
    }
  }

  async settle(): Promise<void> {
    for (let n = 0; n < 4; n++) await new Promise(setImmediate)
  }

  /** Orders that the ledger has open. */
  get open(): readonly number[] {
    return [...this.#rows.orders.values()].filter(({ phase }) => !isOver(phase)).map((order) => order.transactionId)
  }

  #note(sale: Sale): void {
    if (sale.phase === 'awaiting-server') sale.notAwaitedSinceMs = null
    else sale.notAwaitedSinceMs ??= this.clock.monotonicMs()
    if (sale.phase === 'delivered') sale.isDelivered = true
    if (transactionPhases[sale.phase].outcome !== null) sale.isEndPending = true
  }

  #take({ event, transactionId }: Message): Reply | 'unanswered' {
    if (event === 'transaction_terminal') return 'confirmed'
    const sale = this.sales[transactionId - 1] as Sale
    const { notAwaitedSinceMs } = sale
    if (notAwaitedSinceMs !== null && this.clock.monotonicMs() - notAwaitedSinceMs > 61_000)
      this.faults.push(`${transactionId} was pushed although it is ${sale.phase}`)
    if (this.nextResult === 'dies') return 'unanswered'
    const before = this.known.get(transactionId)
    if (before === undefined || before === 'TEMPORARY') {
      const result = this.nextResult === 'loses its reply' ? 'DELIVERED' : this.nextResult
      this.known.set(transactionId, result)
      if (result === 'DELIVERED') this.given.push(transactionId)
    }
    if (this.nextResult === 'loses its reply') return 'unanswered'
    return { observedQuantity: 3, result: this.known.get(transactionId) ?? null, detail: null }
  }

  /** The ledger learns from each call as it does in the agent. */
  #platform(reports: () => CallReports): OrdersPlatform {
    return {
      platformMs: () => this.clock.wallMs(),
      call: async (operation, input) => {
        const call = { operation: operationNamed(operation), operationName: operation, input } as PlatformCall
        await reports().begin(call)
        const answer = this.isPlatformUp ? this.#answer(operation, input) : refuse('NOT_REACHED')
        await reports().end(call, answer)
        return { answer, retryAfterMs: undefined }
      },
    }
  }

  #answer(operation: Parameters<OrdersPlatform['call']>[0], input: Readonly<Record<string, unknown>>): CallAnswer {
    const sale = this.sales[Number(input['transactionId']) - 1] as Sale
    if (operation !== 'transaction.get') {
      const result = operation === 'transaction.delivery' ? 'DELIVERED' : (input['reason'] as OrderResult)
      const to = transactionMoves[sale.phase][triggers[result]]
      if (!to) return { ok: false, messageText: '"não"', status: 409, uncertain: false }
      sale.phase = to as TransactionPhase
      if (result === 'TEMPORARY') sale.retryMs = this.clock.wallMs() + 60_000
      this.#note(sale)
    }
    const { paymentStatus, deliveryStatus } = transactionPhases[sale.phase]
    const completedAt = sale.phase === 'completed' ? iso(paidMs) : null
    const retryAt = sale.retryMs === null ? null : iso(sale.retryMs)
    const { transactionId } = sale
    const data = { transactionId, paymentStatus, deliveryStatus, completedAt, retryAt, refundStarted: retryAt === null }
    return { ok: true, dataText: JSON.stringify({ ...data, deliveredAt: iso(paidMs) }) }
  }

  async #send(sale: Sale, event: 'transfer_order' | 'transaction_terminal'): Promise<void> {
    const life = this.#life
    if (!life) return
    const { transactionId, phase } = sale
    const { paymentStatus, deliveryStatus } = transactionPhases[phase]
    const refs = {
      quantity: 1,
      buyerCharacterRef: 'Ana',
      sellerCharacterRef: 'Bruno',
      paidAt: iso(paidMs + transactionId),
    }
    const end = { paymentStatus, deliveryStatus, reason: null, occurredAt: iso(paidMs + transactionId) }
    const fields = { event, transactionId, itemRef: 'sword-1', ...(event === 'transfer_order' ? refs : end) }
    const openWebhook = {
      judgeHead: () => undefined,
      open: async () => ({ ok: true, kid: 'platform-1', jti: undefined, exp: 0 }) as const,
    }
    const received = { headerLines: [], body: Buffer.from(JSON.stringify(fields)) }
    const answering = receiveWebhook(received, { orders: life.orders, openWebhook }).then(async (answer) => {
      if (life.isDead || answer.status !== 200) return
      if (answer.acknowledged) await life.orders.acknowledge(answer.acknowledged)
      if (event === 'transaction_terminal') sale.isEndPending = false
      else
        Object.assign(sale, {
          isOrderPending: false,
          retryMs: sale.retryMs !== null && sale.retryMs <= this.clock.wallMs() ? null : sale.retryMs,
        })
    })
    answering.catch((error) => this.faults.push(String(error)))
    await this.settle()
  }
}

/** Whether the two axes lead back to the phase, so that the model and the interface agree. */
export function isConsistent({ phase }: Sale): boolean {
  const { paymentStatus, deliveryStatus } = transactionPhases[phase]
  return phaseOf({ paymentStatus, deliveryStatus, completedAt: phase === 'completed' ? 'x' : null }) === phase
}
