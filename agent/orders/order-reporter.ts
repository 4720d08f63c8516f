import type { OrderResult } from '../../contract/order-reply.ts'
import type { Clock } from '../clock/clock.ts'
import type { LimitedLog } from '../log/limited-log.ts'
import type { Order } from './order.ts'
import type { OrderBook } from './order-book.ts'
import type { OrdersPlatform } from './platform-port.ts'
import { isUnknown, wordOf } from './platform-word.ts'
import { fateOfAnswer, fateOfRefusal, type ReportFate } from './report-fate.ts'

/** One report that the platform has not accepted yet. `atMs` is monotonic. */
export type Reporting = { readonly order: Order; readonly tries: number } & (
  | { readonly at: 'due'; readonly atMs: number }
  | { readonly at: 'sending' }
)

const retryMsFirst = 1_000
const retryMsMax = 300_000
const sendingMax = 8
const tickMs = 500

/** When a report is made again after so many tries: 1 s, doubling to 5 min, and not before the platform allows it. */
export function reportDelayMs(tries: number, retryAfterMs = 0): number {
  return Math.max(retryAfterMs, Math.min(retryMsMax, retryMsFirst * 2 ** Math.max(0, tries - 1)))
}

/** The reports that are due, the oldest first, within the slots that are free. Pure. */
export function nextReports(table: Iterable<Reporting>, slots: number, nowMs: number): readonly Reporting[] {
  const reports = [...table]
  const free = slots - reports.filter(({ at }) => at === 'sending').length
  return reports.filter((report) => report.at === 'due' && report.atMs <= nowMs).slice(0, Math.max(0, free))
}

export interface OrderReporterOptions {
  readonly book: OrderBook
  readonly platform: () => OrdersPlatform | undefined
  readonly clock: Clock
  readonly limitedLog: Pick<LimitedLog, 'warn'>
  /** For work without a caller. It reports what is thrown. */
  readonly attempt: (act: () => Promise<unknown>) => Promise<void>
}

/** Reports what the game server said of its orders, until the platform accepts it or can never accept it. */
export class OrderReporter {
  readonly #options: OrderReporterOptions
  readonly #table = new Map<number, Reporting>()
  #isStopped = false
  #cancelTick: () => void = () => undefined

  constructor(options: OrderReporterOptions) {
    this.#options = options
  }

  /** Takes note of what the ledger knows of a transaction. */
  follow(transactionId: number, order: Order | undefined): void {
    const known = this.#table.get(transactionId)
    if (order?.phase !== 'reporting') this.#table.delete(transactionId)
    else if (known?.order.generation === order.generation) this.#table.set(transactionId, { ...known, order })
    else this.#table.set(transactionId, { order, at: 'due', atMs: this.#options.clock.monotonicMs(), tries: 0 })
    this.act()
  }

  /** Reports now instead of at the next moment. */
  hasten(transactionId: number): void {
    const report = this.#table.get(transactionId)
    if (report?.at === 'due') this.#table.set(transactionId, { ...report, atMs: this.#options.clock.monotonicMs() })
    this.act()
  }

  /** Begins what is due. */
  act(): void {
    const { platform, clock } = this.#options
    this.#cancelTick()
    if (this.#isStopped || !platform() || this.#table.size === 0) return
    for (const report of nextReports(this.#table.values(), sendingMax, clock.monotonicMs())) void this.#send(report)
    this.#cancelTick = clock.after(tickMs, () => this.act())
  }

  stop(): void {
    this.#isStopped = true
    this.#cancelTick()
  }

  async #send({ order, tries }: Reporting): Promise<void> {
    const { transactionId, generation } = order
    this.#table.set(transactionId, { order, tries, at: 'sending' })
    let retryAfterMs: number | undefined
    await this.#options.attempt(async () => {
      retryAfterMs = await this.#report(order, order.result as OrderResult, tries)
    })
    const report = this.#table.get(transactionId)
    if (report?.at !== 'sending' || report.order.generation !== generation) return
    const atMs = this.#options.clock.monotonicMs() + reportDelayMs(tries + 1, retryAfterMs)
    this.#table.set(transactionId, { order: report.order, tries: tries + 1, at: 'due', atMs })
    this.act()
  }

  /** @returns How long the platform asked to wait. */
  async #report(order: Order, result: OrderResult, tries: number): Promise<number | undefined> {
    const { book } = this.#options
    const platform = this.#options.platform() as OrdersPlatform
    const { transactionId, itemRef, detail } = order
    const isFirstLeft = result === 'TEMPORARY' && (await book.leaveTemporary(transactionId))
    const observedQuantity = (await book.ledger.observationOf(itemRef)) ?? 0
    const failure = { transactionId, reason: result, observedQuantity, ...(detail !== null && { detail }) }
    const { answer, retryAfterMs } =
      result === 'DELIVERED'
        ? await platform.call('transaction.delivery', { transactionId })
        : await platform.call('transaction.delivery-failure', failure)
    // The next start reports again: the platform answers a repeated report the same.
    if (this.#isStopped) return undefined
    if (answer.ok && result !== 'DELIVERED') await book.observeReported(itemRef, observedQuantity)
    if (isFirstLeft && !answer.ok && !answer.uncertain) await book.returnTemporary(transactionId)
    const fate = fateOfAnswer(result, answer)
    await this.#settle(
      order,
      fate === 'ask'
        ? fateOfRefusal(result, wordOf((await platform.call('transaction.get', { transactionId })).answer))
        : fate,
    )
    if (!answer.ok && tries === 0) {
      const message = JSON.parse(answer.messageText) as string
      const fields = { transactionId, itemRef, result, status: answer.status, message, isUnknown: isUnknown(answer) }
      this.#options.limitedLog.warn(fields, 'a result was not accepted by the platform at the first report')
    }
    return retryAfterMs
  }

  #settle(order: Order, fate: Exclude<ReportFate, 'ask'>): Promise<unknown> {
    const { book } = this.#options
    switch (fate.kind) {
      case 'accepted':
        return book.settle(order.transactionId, order.result as OrderResult)
      case 'put-off':
        return book.putOff(order.transactionId, fate.retryAtMs, order.generation)
      case 'over':
        return book.closeAsked(order, fate.outcome, fate.cure)
      case 'unknown':
        return book.doubt(order, 'the platform does not know its transaction')
      case 'again':
        return book.recognize(order)
    }
  }
}
