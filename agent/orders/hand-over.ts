import type { Clock } from '../clock/clock.ts'
import { repeat } from '../clock/repeat.ts'
import { windowClock } from '../clock/window-clock.ts'
import { causeOf, cureOf } from '../durable-files/system-errors.ts'
import type { LimitedLog } from '../log/limited-log.ts'
import type { Log } from '../log/log.ts'
import { actMs, type Effect, type Handing, HandingTable, needsProof, next, retryDelayMs, type Way } from './handing.ts'
import type { Message, Reply } from './message.ts'
import type { MessageFiles } from './message-files.ts'
import type { Order } from './order.ts'
import type { Verdict } from './platform-word.ts'

export interface HandOverOptions {
  readonly way: Way
  /** Offers a message once. Never throws. */
  readonly push: (message: Message) => Promise<Reply | 'unanswered'>
  /** Undefined without a spool. Where files are not the way, only what is left over is removed. */
  readonly files: MessageFiles | undefined
  /** Asks the platform about an order. What follows from the answer is done when it resolves. Never throws. */
  readonly ask: (transactionId: number) => Promise<Verdict['kind']>
  /** Makes a reply durable, if that is possible now. Never throws. */
  readonly onReply: (message: Message, reply: Reply) => Promise<void>
  /** Called for each push and each new file. Never throws. */
  readonly onOffer: (message: Message) => Promise<void>
  readonly clock: Clock
  readonly log: Pick<Log, 'warn'>
  readonly limitedLog: Pick<LimitedLog, 'warn'>
}

const slots = { questions: 8, orders: 8, terminalEvents: 2 }
const tickMs = 200
/** A file that is not yet a valid reply is read again until it has not changed for this long. */
const quietMs = 2_000
const rejectedKeptMs = 24 * 3_600_000
const retentionIntervalMs = 3_600_000

/**
 * The way of every message to the game server, from the ledger to its reply. Which messages there are follows from the
 * ledger alone; what is done for each follows from the table and `next`.
 *
 * A message leaves the table when the ledger says that it is over: it was answered, its transaction ended, or its row is
 * gone. Its files go with it.
 */
export class HandOver {
  readonly #options: HandOverOptions
  readonly #table: HandingTable
  readonly #underWay = new Set<Promise<void>>()
  #state: 'not-started' | 'running' | 'stopped' = 'not-started'
  #isLeftOverRead: boolean
  #changed = Promise.withResolvers<void>()
  #cancelTick: () => void = () => undefined
  #stopRetention: () => void = () => undefined
  /** The last problem with files, so that it is reported once. */
  #problem: string | undefined

  constructor(options: HandOverOptions) {
    this.#options = options
    this.#table = new HandingTable(options.way)
    this.#isLeftOverRead = options.files === undefined
  }

  /** Whether files cannot be used as they should. */
  get hasProblem(): boolean {
    return this.#problem !== undefined
  }

  /** Monotonic ms, as `prove` takes it. */
  nowMs(): number {
    return this.#options.clock.monotonicMs()
  }

  /**
   * Begins to work. What is open was given to `follow` before.
   *
   * @returns Resolves when the replies that were there are in the ledger.
   */
  start(): Promise<void> {
    const { clock, files, way } = this.#options
    this.#state = 'running'
    const nowMs = windowClock(clock, rejectedKeptMs)
    if (files && way === 'files')
      this.#stopRetention = repeat(clock, retentionIntervalMs, async () => {
        this.#try(() => files.removeRejectedBefore(nowMs() - rejectedKeptMs))
      })
    const first = this.#tick()
    this.#follow(first)
    return first
  }

  /** Takes note of what the ledger knows of a transaction. */
  follow(transactionId: number, order: Order | undefined): void {
    const { over, begun } = this.#table.follow(transactionId, order)
    const atMs = this.#options.clock.monotonicMs()
    for (const message of over) this.#withdraw(message)
    for (const message of begun)
      this.#table.set({ message, at: 'due', atMs, tries: 0, provenMs: Number.NEGATIVE_INFINITY })
    this.#act()
  }

  /** The platform waits for an order. `askedMs`: when it was asked (monotonic). */
  prove(transactionId: number, askedMs: number): void {
    const handing = this.#table.orderOf(transactionId)
    if (!handing || handing.provenMs >= askedMs) return
    const wasProven = handing.provenMs > Number.NEGATIVE_INFINITY
    this.#table.set({
      ...handing,
      provenMs: askedMs,
      ...(handing.at === 'due' && !wasProven && { atMs: this.#provenAtMs() }),
    })
    this.#act()
  }

  /** Whether the platform is known to wait for an order now. */
  isProven(transactionId: number): boolean {
    const handing = this.#table.orderOf(transactionId)
    return handing !== undefined && !needsProof(handing, this.#options.clock.monotonicMs())
  }

  /** Hands the order of a transaction over now instead of at its next moment. */
  hasten(transactionId: number): void {
    const handing = this.#table.orderOf(transactionId)
    if (handing?.at !== 'due') return
    const nowMs = this.#options.clock.monotonicMs()
    this.#table.set({ ...handing, atMs: needsProof(handing, nowMs) ? nowMs : this.#provenAtMs(), tries: 0 })
    this.#act()
  }

  /** A game server that asks for its orders has the platform asked again then. */
  #provenAtMs(): number {
    return this.#options.way === 'asking' ? Number.POSITIVE_INFINITY : this.#options.clock.monotonicMs()
  }

  /** Resolves when a message is not open any more, at the latest when the time is over or the agent stops. */
  async settled(name: string, timeoutMs: number): Promise<void> {
    const timeout = Promise.withResolvers<'over'>()
    const cancel = this.#options.clock.after(timeoutMs, () => timeout.resolve('over'))
    while (this.#state !== 'stopped' && this.#table.isOpen(name))
      if ((await Promise.race([this.#changed.promise, timeout.promise])) === 'over') break
    cancel()
  }

  /** Begins nothing more. Resolves when the replies to what is under way are durable. */
  async stop(): Promise<void> {
    this.#state = 'stopped'
    this.#changed.resolve()
    this.#cancelTick()
    this.#stopRetention()
    await Promise.all(this.#underWay)
  }

  /** Something changed: whoever waits looks again, and what is due is begun. */
  #act(): void {
    this.#changed.resolve()
    this.#changed = Promise.withResolvers()
    if (this.#state !== 'running') return
    const { way, clock } = this.#options
    for (const effect of next(this.#table.all, { way, ...slots }, clock.monotonicMs())) this.#begin(effect)
    this.#schedule()
  }

  #schedule(): void {
    const { way, clock } = this.#options
    const isParked = (handing: Handing) => handing.at === 'due' && handing.atMs === Number.POSITIVE_INFINITY
    const hasWork = way === 'files' || !this.#isLeftOverRead || [...this.#table.all].some((one) => !isParked(one))
    this.#cancelTick()
    this.#cancelTick = hasWork ? clock.after(tickMs, () => this.#follow(this.#tick())) : () => undefined
  }

  async #tick(): Promise<void> {
    const { files, way } = this.#options
    if (!this.#isLeftOverRead) this.#readLeftOver()
    if (files && way === 'files') await this.#readReplies(files)
    this.#act()
  }

  #begin({ do: what, handing }: Effect): void {
    // No stop waits for the platform.
    if (what === 'ask') void this.#ask(handing)
    else if (what === 'push') this.#follow(this.#push(handing))
    else if (what === 'show') this.#show(handing)
    else this.#withdraw(handing.message)
  }

  #follow(work: Promise<void>): void {
    const ended = work.finally(() => this.#underWay.delete(ended))
    this.#underWay.add(ended)
  }

  async #ask(handing: Handing): Promise<void> {
    const { message, tries } = handing
    const wasShown = handing.at === 'shown'
    this.#table.set({ ...handing, at: 'asking', wasShown })
    const verdict = await this.#options.ask(message.transactionId)
    const asked = this.#table.find(message.name)
    if (asked?.at !== 'asking' || asked.message !== message) return
    const nowMs = this.#options.clock.monotonicMs()
    if (!needsProof(asked, nowMs)) {
      // Renewing a file is not a new offer.
      this.#table.set({
        message,
        provenMs: asked.provenMs,
        at: 'due',
        atMs: this.#provenAtMs(),
        tries: wasShown ? 1 : 0,
      })
    } else {
      // What says when it expires may stay where nothing is known.
      if (verdict !== 'unanswered') this.#try(() => this.#options.files?.removeEvent(message.name))
      this.#table.set({ ...asked, at: 'due', atMs: nowMs + retryDelayMs(tries + 1), tries: tries + 1 })
    }
    this.#act()
  }

  async #push(handing: Handing): Promise<void> {
    const { message, tries } = handing
    this.#table.set({ ...handing, at: 'pushing' })
    const [reply] = await Promise.all([this.#options.push(message), this.#options.onOffer(message)])
    if (reply === 'unanswered') this.#later(message, tries + 1)
    else await this.#reply(message, reply, tries + 1)
  }

  #show(handing: Handing): void {
    const { clock, files, onOffer } = this.#options
    const { message, tries } = handing
    const isOrder = message.event === 'transfer_order'
    const actUntil = isOrder ? new Date(clock.wallMs() + actMs).toISOString() : undefined
    if (!this.#try(() => files?.show(message, actUntil))) return void this.#later(message, tries + 1)
    const untilMs = isOrder ? clock.monotonicMs() + actMs : Number.POSITIVE_INFINITY
    const isRenewed = handing.at === 'shown' || handing.tries > 0
    this.#table.set({ message, provenMs: handing.provenMs, tries: 1, at: 'shown', untilMs })
    if (!isRenewed) this.#follow(onOffer(message))
  }

  /** The ledger has the reply then, and the message leaves the table; else it is handed over again. */
  async #reply(message: Message, reply: Reply, tries: number): Promise<void> {
    const handing = this.#table.find(message.name)
    if (handing?.message === message) this.#table.set({ ...handing, at: 'replying' })
    await this.#options.onReply(message, reply)
    this.#later(message, tries)
  }

  #later(message: Message, tries: number): void {
    const handing = this.#table.find(message.name)
    if (handing?.message !== message || handing.at === 'withdrawing') return
    const atMs = this.#options.clock.monotonicMs() + retryDelayMs(tries)
    this.#table.set({ message, provenMs: handing.provenMs, at: 'due', atMs, tries })
    this.#act()
  }

  /** Files that cannot be removed now are tried again. */
  #withdraw(message: Message): void {
    const { files } = this.#options
    if (!files || this.#try(() => files.remove(message.name))) this.#table.remove(message.name)
    else this.#table.set({ message, at: 'withdrawing', provenMs: 0, tries: 0 })
  }

  #readLeftOver(): void {
    const { files, way } = this.#options
    this.#isLeftOverRead = this.#try(() => {
      for (const message of files?.leftOver() ?? [])
        if (way !== 'files') this.#try(() => files?.removeEvent(message.name))
        else if (!this.#table.find(message.name)) this.#withdraw(message)
    })
  }

  async #readReplies(files: MessageFiles): Promise<void> {
    let names: readonly string[] = []
    this.#try(() => {
      names = files.replies()
    })
    for (const name of names) await this.#readReply(files, name)
  }

  async #readReply(files: MessageFiles, name: string): Promise<void> {
    const handing = this.#table.find(name)
    if (handing?.at === 'withdrawing' || handing?.at === 'replying') return
    if (!handing) return this.#setAside(files, name, 'no event of this name waits for a reply')
    let read: ReturnType<MessageFiles['readReply']> = 'gone'
    this.#try(() => {
      read = files.readReply(handing.message)
    })
    read = read as ReturnType<MessageFiles['readReply']>
    if (read === 'gone') return
    if (read === 'confirmed' || 'observedQuantity' in read) return this.#reply(handing.message, read, 1)
    if (handing.at !== 'shown' && handing.at !== 'half-replied') return
    const { stamp, problem } = read
    const nowMs = this.#options.clock.monotonicMs()
    if (handing.at === 'shown' || handing.stamp !== stamp)
      return this.#table.set({ ...handing, at: 'half-replied', stamp, sinceMs: nowMs })
    if (nowMs - handing.sinceMs < quietMs) return
    this.#table.set({ ...handing, at: 'shown' })
    this.#setAside(files, name, problem)
  }

  #setAside(files: MessageFiles, name: string, reason: string): void {
    this.#try(() => {
      if (files.setAside(name)) this.#options.limitedLog.warn({ name: `${name}.json`, reason }, 'reply set aside')
    })
  }

  /** Reports a problem once, and not at each look. */
  #try(act: () => unknown): boolean {
    try {
      act()
      this.#problem = undefined
      return true
    } catch (error) {
      const cause = causeOf(error as Error)
      if (this.#problem !== cause)
        this.#options.log.warn(
          { cause, cure: cureOf(error as Error) },
          'orders cannot be handed over by files; it is tried again',
        )
      this.#problem = cause
      return false
    }
  }
}
