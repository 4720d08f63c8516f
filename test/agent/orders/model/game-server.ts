import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CallAnswer } from '../../../../agent/call/answer.ts'
import { type Call, readCall } from '../../../../agent/call/call.ts'
import type { Clock } from '../../../../agent/clock/clock.ts'
import type { Log } from '../../../../agent/log/log.ts'
import type { Message } from '../../../../agent/orders/message.ts'
import type { Handover, OnReply, Reply } from '../../../../agent/orders/offers.ts'
import type { Order } from '../../../../agent/orders/order.ts'
import { isOffered } from '../../../../agent/orders/order-moves.ts'
import { EventFiles } from '../../../../agent/webhook-bridge/event-files.ts'
import type { OrdersOperation } from '../../../../contract/operations.ts'
import type { Sale } from './platform.ts'
import type { World } from './world.ts'

export const ways = ['push', 'files', 'ask'] as const
export type Way = (typeof ways)[number]

/** A push that the game server has not answered yet. */
interface Push {
  readonly message: Message
  readonly at: number
  readonly answer: (result: Reply | 'unanswered') => void
}

/** A game server that answers when the test says so, and forgets. */
export class GameServer implements Disposable {
  readonly pushes: Push[] = []
  /** Orders that it has. */
  readonly held = new Set<Sale>()
  readonly #world: World
  readonly way: Way
  readonly #spool = mkdtempSync(join(tmpdir(), 'market-agent-model-'))
  readonly #filesSeenAt = new Map<string, number>()

  constructor(world: World, way: Way) {
    this.#world = world
    this.way = way
  }

  /** The agent's way to it. */
  handover({ clock, log, onReply }: { clock: Clock; log: Log; onReply: OnReply }): Handover | undefined {
    if (this.way === 'ask') return undefined
    return this.way === 'files' ? new EventFiles({ root: this.#spool, clock, log, onReply }) : this.#pushes(clock)
  }

  /** What a way that pushes does, without its sockets. */
  #pushes(clock: Clock): Handover {
    return {
      offer: (message) => {
        this.#check(message)
        const { promise, resolve } = Promise.withResolvers<Reply | 'unanswered'>()
        const push: Push = { message, at: this.#world.traces.next(), answer: resolve }
        this.pushes.push(push)
        const cancel = clock.after(10_000, () => resolve('unanswered'))
        void promise.finally(() => {
          cancel()
          if (this.pushes.includes(push)) this.pushes.splice(this.pushes.indexOf(push), 1)
        })
        if (this.#world.isHealthy) void this.replyToPush(push, 5)
        return promise
      },
      withdraw: () => undefined,
      start: async () => undefined,
      stop: async () => undefined,
      close: async () => undefined,
    }
  }

  #check({ event, transactionId }: Message): void {
    const { end } = this.#world.platform.saleOf(transactionId)
    if (event === 'transfer_order' && end?.state === 'acknowledged')
      this.#world.traces.bugs.push(`an order was pushed after its end was acknowledged: ${transactionId}`)
  }

  async replyToPush({ message, at, answer }: Push, observedQuantity: number): Promise<void> {
    if (message.event === 'transaction_terminal') return answer({ observedQuantity: undefined })
    await this.#hold(message.transactionId, observedQuantity, at, (row) => row.generation === message.generation)
    answer({ observedQuantity })
  }

  /** It fails; `isStored`: only its answer is lost. */
  failPush({ message, answer }: Push, isStored: boolean): void {
    if (isStored && message.event === 'transfer_order')
      this.held.add(this.#world.platform.saleOf(message.transactionId))
    answer('unanswered')
  }

  eventNames(): readonly string[] {
    // The agent makes the directory.
    if (this.way !== 'files' || !existsSync(join(this.#spool, 'events'))) return []
    const names = readdirSync(join(this.#spool, 'events')).filter((name) => name.endsWith('.json'))
    for (const name of names) if (!this.#filesSeenAt.has(name)) this.#filesSeenAt.set(name, this.#world.traces.next())
    return names
  }

  hasUnreadReplies(): boolean {
    const replies = join(this.#spool, 'replies')
    return this.way === 'files' && existsSync(replies) && readdirSync(replies).some((name) => name.endsWith('.json'))
  }

  /** Replies by a file. A name that is no event any more may be replied to as well. */
  async replyToFile(name: string, observedQuantity: number): Promise<void> {
    const [, event = '', id = '', suffix] = /^(\w+)-(\d+)(?:-(\d+))?\.json$/.exec(name) ?? []
    const isOrder = event === 'transfer_order'
    if (isOrder) {
      const at = this.#filesSeenAt.get(name) ?? this.#world.traces.next()
      const isThere = this.eventNames().includes(name)
      // A file answers what is offered now. A push and a call may also come late.
      const isAnswer = (row: Order) => isThere && isOffered(row.phase) && row.generation === Number(suffix ?? 1)
      await this.#hold(Number(id), observedQuantity, at, isAnswer)
    }
    if (!existsSync(join(this.#spool, 'replies'))) return
    const path = join(this.#spool, 'replies', name)
    writeFileSync(`${path}.tmp`, JSON.stringify(isOrder ? { observedQuantity } : {}))
    renameSync(`${path}.tmp`, path)
    this.#world.clock.advance(1_000)
    await this.#world.settle()
  }

  /** By `orders.take`. */
  async take(sale: Sale, observedQuantity: number): Promise<void> {
    await this.#hold(sale.transactionId, observedQuantity, this.#world.traces.next(), () => true)
    await this.#ask('orders.take', { transactionId: sale.transactionId, observedQuantity })
  }

  /** Numbers of the transactions that `orders.open` shows as offered. */
  async offered(): Promise<readonly number[]> {
    const answer = await this.#ask('orders.open', {})
    const orders: { transactionId: number; state: string }[] = answer?.ok ? JSON.parse(answer.dataText).orders : []
    return orders.filter(({ state }) => state === 'offered').map(({ transactionId }) => transactionId)
  }

  async #ask(operation: string, input: object): Promise<CallAnswer | undefined> {
    const reading = readCall({ operation, input, id: undefined })
    if (!reading.ok) throw new Error(operation)
    let answered: CallAnswer | undefined
    void this.#world.life?.orders.answer(reading.call as Call<OrdersOperation>).then((answer) => {
      answered = answer
    })
    await this.#world.settle()
    return answered
  }

  /** It has the order, and says so to an offer that was made at this moment. */
  async #hold(
    transactionId: number,
    observedQuantity: number,
    offeredAt: number,
    isAnswer: (row: Order) => boolean,
  ): Promise<void> {
    const { platform, traces } = this.#world
    const sale = platform.saleOf(transactionId)
    const row = await this.#world.row(sale)
    this.held.add(sale)
    const trace = traces.of(sale)
    if (offeredAt > trace.resetAt) trace.replyAt = traces.next()
    if (!row || row.phase === 'closed' || row.phase === 'lost' || !isAnswer(row)) return
    this.#world.observe(sale.itemRef, observedQuantity)
  }

  [Symbol.dispose](): void {
    rmSync(this.#spool, { recursive: true, force: true })
  }
}
