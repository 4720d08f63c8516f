import type { Clock } from '../clock/clock.ts'
import type { LimitedLog } from '../log/limited-log.ts'
import type { Log } from '../log/log.ts'
import type { Message, Reply } from './message.ts'
import type { NamedMessage } from './message-files.ts'
import {
  type Channel,
  type Effect,
  isSameTask,
  isWaiting,
  needsProof,
  nextEffects,
  type OpenOrder,
  openOrder,
  proofMs,
  reportDelayMs,
  retryDelayMs,
} from './open-orders.ts'
import type { Order } from './order.ts'
import type { OrderBook } from './order-book.ts'
import { confirmTerminal, countOffer } from './order-changes.ts'
import type { OrderFiles } from './order-files.ts'
import { awaitsReply } from './order-moves.ts'
import type { OrdersPlatform } from './platform-port.ts'
import type { Questions, QuestionsOptions } from './questions.ts'
import { recordReply, reportLateResult } from './record-reply.ts'
import { reportResult } from './report-result.ts'

export interface OrderPathOptions extends Pick<QuestionsOptions, 'attempt'> {
  readonly book: OrderBook
  readonly questions: Pick<Questions, 'ask'>
  readonly platform: OrdersPlatform
  readonly channel: Channel
  /** Offers a message once. Never throws. */
  readonly push: (message: Message) => Promise<Reply | 'unanswered'>
  readonly files: OrderFiles
  /** Whether another agent certainly hands nothing over that this one does. */
  readonly mayBegin: () => boolean
  readonly clock: Clock
  readonly log: Pick<Log, 'warn'>
  readonly limitedLog: Pick<LimitedLog, 'warn'>
}

const slots = { orders: 8, terminalEvents: 2, reports: 8 }
const lookIntervalMs = 200
/** How often the platform is asked about an order with which the agent has nothing else to do. */
const sweepMs = 180_000
/** How long after it was written an order's file may be acted on. */
const actMs = 120_000
/** A file that is not yet a valid reply is read again until it has not changed for this long. */
const quietMs = 2_000

/**
 * The path of every open order, from the ledger to its end. Which orders are open follows from the ledger. The table
 * and `nextEffects` say what is done for each. Everything that was begun ends in `#again`, unless by then the ledger
 * has something else to do for its transaction, or nothing any more.
 */
export class OrderPath {
  readonly #options: OrderPathOptions
  readonly #table = new Map<number, OpenOrder>()
  /** Orders that another agent hands over: a webhook may wait for one here. */
  readonly #ofOthers = new Map<number, Order>()
  /** What a stop waits for. */
  readonly #underWay = new Set<Promise<unknown>>()
  #state: 'starting' | 'running' | 'stopped' = 'starting'
  #changed = Promise.withResolvers<void>()
  /** The next look at the table and the files, which no change puts off. */
  #look: { readonly at: 'set'; readonly cancel: () => void } | { readonly at: 'none' | 'under-way' } = { at: 'none' }

  constructor(options: OrderPathOptions) {
    this.#options = options
    options.book.onChange((...changed) => this.#follow(...changed))
  }

  /**
   * Begins to work. The platform is asked about every open order first.
   *
   * @returns Resolves when the replies that were there are in the ledger.
   */
  async start(open: readonly Order[]): Promise<void> {
    for (const order of open) this.#table.set(order.transactionId, openOrder(order, this.#nowMs()))
    await this.#track(this.#lookAtFiles())
    if (this.#state === 'starting') this.#state = 'running'
    this.#act()
  }

  /** Begins nothing more. Resolves when the replies to what is under way are durable. */
  async stop(): Promise<void> {
    this.#state = 'stopped'
    this.#changed.resolve()
    if (this.#look.at === 'set') this.#look.cancel()
    await Promise.all(this.#underWay)
  }

  /** Whether the platform is known to wait for an order now. */
  isProven(transactionId: number): boolean {
    const open = this.#table.get(transactionId)
    return open !== undefined && awaitsReply(open.order.phase) && !needsProof(open, this.#nowMs())
  }

  /** The platform waits for an order. `askedMs` (monotonic): when it was asked. */
  prove(transactionId: number, askedMs: number): void {
    const open = this.#table.get(transactionId)
    if (!open || !awaitsReply(open.order.phase) || open.provenMs >= askedMs) return
    const isFirst = open.provenMs === Number.NEGATIVE_INFINITY && this.#options.channel !== 'asking'
    const isDueNow = open.at === 'due' && isFirst
    this.#table.set(transactionId, { ...open, provenMs: askedMs, ...(isDueNow && { atMs: this.#nowMs() }) })
    this.#act()
  }

  /** Hands an order over now instead of at its next moment. Resolves when it does not wait for a reply any more, or late. */
  async settle(received: Order, timeoutMs: number): Promise<void> {
    const { transactionId, generation } = received
    if (!this.#table.has(transactionId)) this.#ofOthers.set(transactionId, received)
    const due = this.#table.get(transactionId)
    if (due?.at === 'due') this.#table.set(transactionId, { ...due, atMs: this.#nowMs(), tries: 0 })
    this.#act()
    const isOpen = () => {
      const order = this.#table.get(transactionId)?.order ?? this.#ofOthers.get(transactionId)
      return order?.generation === generation && awaitsReply(order.phase)
    }
    const timeout = Promise.withResolvers<'over'>()
    const cancel = this.#options.clock.after(timeoutMs, () => timeout.resolve('over'))
    while (this.#state !== 'stopped' && isOpen())
      if ((await Promise.race([this.#changed.promise, timeout.promise])) === 'over') break
    cancel()
  }

  /** Takes note of what the ledger knows about a transaction. */
  #follow(transactionId: number, known: Order | undefined, isOurs: boolean): void {
    if (known && !isOurs && awaitsReply(known.phase)) this.#ofOthers.set(transactionId, known)
    else this.#ofOthers.delete(transactionId)
    const order = isOurs ? known : undefined
    const open = this.#table.get(transactionId)
    const isSame = open !== undefined && order !== undefined && isSameTask(open.order, order)
    // A later terminal event of the transaction has the same name, so no confirmation stays.
    if (open?.message && !isSame)
      this.#options.files.remove(open.message, open.at === 'reply' || open.message.event === 'transaction_terminal')
    if (!order || order.phase === 'closed') this.#table.delete(transactionId)
    else if (isSame) this.#table.set(transactionId, { ...open, order })
    else {
      // A reply that was there at the start may be that of a game server that has died since.
      const isSwept = this.#state === 'running' && (order.phase === 'taken' || order.phase === 'put-off')
      const delayMs = isSwept ? sweepMs : 0
      this.#table.set(transactionId, openOrder(order, this.#nowMs() + delayMs))
    }
    this.#act()
  }

  /** Something changed: those that wait look again, and what is due is begun. */
  #act(): void {
    this.#changed.resolve()
    this.#changed = Promise.withResolvers()
    if (this.#state !== 'running') return
    const { channel, clock, platform, files, mayBegin } = this.#options
    const due = mayBegin()
      ? nextEffects(this.#table.values(), { channel, slots }, this.#nowMs(), platform.platformMs())
      : []
    for (const { effect, open } of due) this.#begin(effect, open)
    if (this.#look.at === 'none' && (this.#table.size > 0 || files.isWatched))
      this.#look = { at: 'set', cancel: clock.after(lookIntervalMs, () => void this.#track(this.#lookAtFiles())) }
  }

  async #lookAtFiles(): Promise<void> {
    const { files } = this.#options
    this.#look = { at: 'under-way' }
    files.tidy((named) => this.#openOf(named) !== undefined)
    if (files.makeDirs()) this.#showAgain()
    for (const named of files.replies()) await this.#readReply(named)
    this.#look = { at: 'none' }
    this.#act()
  }

  /** Somebody removed the directory with what was shown in it. */
  #showAgain(): void {
    for (const [transactionId, open] of this.#table)
      if (open.at === 'shown' || open.at === 'half-replied')
        this.#table.set(transactionId, { ...open, at: 'due', atMs: this.#nowMs() })
  }

  /** No stop waits for the platform. */
  #begin(effect: Effect, open: OpenOrder): void {
    if (effect !== 'show')
      this.#table.set(open.order.transactionId, { ...open, at: effect === 'confirm' ? 'reply' : effect })
    if (effect === 'ask') void this.#ask(open)
    else if (effect === 'report') void this.#report(open)
    else if (effect === 'show') this.#show(open)
    else void this.#track(effect === 'push' ? this.#push(open) : this.#reply(open, 'confirmed'))
  }

  async #ask(begun: OpenOrder): Promise<void> {
    const { order, message, tries } = begun
    const verdict = await this.#options.questions.ask(order)
    if (!awaitsReply(order.phase)) return this.#again(begun, sweepMs)
    const open = this.#table.get(order.transactionId)
    // A game server that asks for its orders makes the agent ask the platform again then.
    if (open && !needsProof(open, this.#nowMs()))
      return this.#again(begun, this.#options.channel === 'asking' ? sweepMs : 0, tries)
    // A file that says when it expires may stay where nothing is known.
    if (verdict.kind !== 'unanswered') this.#options.files.removeEvent(message)
    this.#again(begun, retryDelayMs(tries + 1))
  }

  async #report(begun: OpenOrder): Promise<void> {
    let retryAfterMs = 0
    await this.#options.attempt(async () => {
      retryAfterMs = await reportResult(begun.order, begun.tries === 0, this.#options)
    })
    this.#again(begun, reportDelayMs(begun.tries + 1, retryAfterMs))
  }

  async #push(begun: OpenOrder): Promise<void> {
    await this.#countOffer(begun.order)
    const open = this.#current(begun.order)
    if (!open) return
    // A slow disk may take longer than the platform's word is good for. A pause may be longer than the lease.
    const isLate = awaitsReply(open.order.phase) && needsProof(open, this.#nowMs())
    if (isLate || !this.#options.mayBegin()) return this.#again(begun, 0, begun.tries)
    const reply = await this.#options.push(begun.message as Message)
    if (reply === 'unanswered') this.#again(begun, retryDelayMs(begun.tries + 1))
    else await this.#reply(begun, reply)
  }

  #show(open: OpenOrder): void {
    const { clock, files } = this.#options
    const { order, tries } = open
    const isOrder = awaitsReply(order.phase)
    const actUntil = isOrder ? new Date(clock.wallMs() + actMs).toISOString() : undefined
    const isShown = files.show(open.message as Message, actUntil)
    const nowMs = this.#nowMs()
    this.#table.set(
      order.transactionId,
      isShown
        ? { ...open, tries: 0, at: 'shown', atMs: isOrder ? nowMs + proofMs : Number.POSITIVE_INFINITY }
        : { ...open, tries: tries + 1, at: 'due', atMs: nowMs + retryDelayMs(tries + 1) },
    )
    // A file that is written again is the same offer.
    if (isShown && order.offers === 0) void this.#track(this.#countOffer(order))
  }

  /** The ledger has the reply then and says what is next; else the message is handed over again. */
  async #reply(begun: OpenOrder, reply: Reply): Promise<void> {
    const { book, log, attempt } = this.#options
    const { transactionId, generation } = begun.order
    await attempt(() =>
      reply === 'confirmed'
        ? book.change(transactionId, confirmTerminal(begun.order))
        : recordReply(book, log, transactionId, reply, generation),
    )
    this.#again(begun, retryDelayMs(begun.tries + 1))
  }

  #countOffer({ transactionId, generation, phase }: Order): Promise<void> {
    const { book, attempt } = this.#options
    return awaitsReply(phase)
      ? attempt(() => book.change(transactionId, countOffer(generation), { survives: 'kill' }))
      : Promise.resolve()
  }

  /** What was begun is over, and its task is still the same one: it is due again after a while. */
  #again({ order, tries: before }: OpenOrder, delayMs: number, tries = before + 1): void {
    const { transactionId } = order
    const open = this.#current(order)
    if (!open || isWaiting(open)) return
    // Behind those that wait as long.
    this.#table.delete(transactionId)
    this.#table.set(transactionId, { ...open, tries, at: 'due', atMs: this.#nowMs() + delayMs })
    this.#act()
  }

  /** The open order for which the same is to be done as for this one. */
  #current(order: Order): OpenOrder | undefined {
    const open = this.#table.get(order.transactionId)
    return open && isSameTask(open.order, order) ? open : undefined
  }

  async #readReply(named: NamedMessage): Promise<void> {
    const open = this.#openOf(named)
    const { files } = this.#options
    // Nothing was handed over yet of an order that the platform has not confirmed.
    if (!open || open.order.phase === 'received') return this.#setLateAside(named)
    if (open.at === 'reply') return
    const read = files.readReply(open.message as Message)
    if (read === 'gone') return
    if (read === 'confirmed' || 'observedQuantity' in read) {
      this.#table.set(named.transactionId, { ...open, at: 'reply' })
      return this.#reply({ ...open, tries: 0 }, read)
    }
    if (open.at !== 'shown' && open.at !== 'half-replied') return
    const { stamp, problem } = read
    if (open.at === 'shown' || open.stamp !== stamp)
      return void this.#table.set(named.transactionId, { ...open, at: 'half-replied', stamp, sinceMs: this.#nowMs() })
    if (this.#nowMs() - open.sinceMs < quietMs) return
    if (files.setAside(named, problem)) this.#table.set(named.transactionId, { ...open, at: 'shown' })
  }

  /** Nobody has made the offer, or it was over before the reply was read. */
  async #setLateAside(named: NamedMessage): Promise<void> {
    const { files, book, log, attempt } = this.#options
    const read = files.readReply(named)
    if (read === 'gone') return
    await attempt(async () => {
      const known = await book.ledger.find(named.transactionId)
      const isSetAside = files.setAside(named, 'no event of this name waits for a reply')
      if (!isSetAside || typeof read !== 'object' || !('observedQuantity' in read)) return
      if (known?.generation === named.generation) reportLateResult(log, known, read.result)
    })
  }

  #openOf({ transactionId, name }: NamedMessage): OpenOrder | undefined {
    const open = this.#table.get(transactionId)
    return open?.message?.name === name ? open : undefined
  }

  #nowMs(): number {
    return this.#options.clock.monotonicMs()
  }

  #track<Result>(work: Promise<Result>): Promise<Result> {
    this.#underWay.add(work)
    return work.finally(() => this.#underWay.delete(work))
  }
}
