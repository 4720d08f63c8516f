import pLimit from 'p-limit'
import type { Clock } from '../clock/clock.ts'
import { type Message, messagesOf } from './message.ts'
import type { Order } from './order.ts'

/** What the game server said to a message: an order is taken with an observation, an end is confirmed without. */
export interface Reply {
  readonly observedQuantity: number | undefined
}

/** A way to push messages to the game server. */
export interface Handover {
  /**
   * Offers a message. Never throws.
   *
   * @returns The reply; `unanswered` when this push had none; `waiting` when an earlier push can still be answered.
   */
  offer(message: Message): Promise<Reply | 'unanswered' | 'waiting'>
  /** The message is answered or void. Never throws. */
  withdraw(message: Message): void
  /** Called at the start with every open message, by the ledger. */
  start(open: readonly Message[]): Promise<void>
  /** Takes no more replies of its own accord. */
  stop(): Promise<void>
  close(): Promise<void>
}

/** Makes a reply durable, if that is possible now; the message is withdrawn by that. Never throws. */
export type OnReply = (message: Message, reply: Reply) => Promise<void>

export interface OffersOptions {
  readonly handover: Handover
  readonly clock: Clock
  /** Makes a reply durable, if that is possible now. Never throws. */
  readonly onReply: OnReply
  /** Called for each push that left, with whether it is the first one of its message in this process. */
  readonly onPush: (message: Message, isFirst: boolean) => void
}

const delayMsFirst = 1_000
const delayMsMax = 30_000
/** Pushes under way at once: a game server that comes back is not flooded. */
const pushesMax = 8

interface Offer {
  readonly message: Message
  pushes: number
  /** Set while it waits for its next push; undefined while a push is under way. */
  cancelTimer: (() => void) | undefined
}

/**
 * Offers each message until the game server answers it: at once, then after 1 s, doubling to 30 s, without end.
 * What is to be offered follows from the orders alone, so that nothing is offered that the ledger does not say.
 */
export class Offers {
  readonly #options: OffersOptions
  readonly #offers = new Map<string, Offer>()
  readonly #namesOf = new Map<number, readonly string[]>()
  readonly #slots = pLimit(pushesMax)
  readonly #pushing = new Set<Promise<void>>()
  #isStopped = false

  constructor(options: OffersOptions) {
    this.#options = options
  }

  /** Takes note of an order's present state. */
  follow(order: Order): void {
    if (this.#isStopped) return
    const messages = messagesOf(order)
    const names = messages.map(({ name }) => name)
    for (const name of this.#namesOf.get(order.transactionId) ?? []) if (!names.includes(name)) this.#end(name)
    if (names.length > 0) this.#namesOf.set(order.transactionId, names)
    else this.#namesOf.delete(order.transactionId)
    for (const message of messages) {
      const offered = this.#offers.get(message.name)?.message
      if (offered?.text === message.text) continue
      // Another transaction with this number has ended.
      this.#end(message.name)
      this.#begin(message)
    }
  }

  /** Pushes the messages of a transaction now instead of at their next moment. */
  hasten(transactionId: number): void {
    for (const name of this.#namesOf.get(transactionId) ?? []) {
      const offer = this.#offers.get(name)
      if (offer?.cancelTimer) this.#schedule(offer, 0)
    }
  }

  /** Pushes nothing more. Resolves when the replies to what is under way are durable. */
  async stop(): Promise<void> {
    this.#isStopped = true
    for (const { cancelTimer } of this.#offers.values()) cancelTimer?.()
    this.#slots.clearQueue()
    await Promise.all(this.#pushing)
  }

  #begin(message: Message): void {
    const offer: Offer = { message, pushes: 0, cancelTimer: undefined }
    this.#offers.set(message.name, offer)
    this.#pushSoon(offer)
  }

  #end(name: string): void {
    const offer = this.#offers.get(name)
    if (!offer) return
    this.#offers.delete(name)
    offer.cancelTimer?.()
    this.#options.handover.withdraw(offer.message)
  }

  #pushSoon(offer: Offer): void {
    offer.cancelTimer = undefined
    void this.#slots(() => {
      const ended = this.#push(offer).finally(() => this.#pushing.delete(ended))
      this.#pushing.add(ended)
      return ended
    })
  }

  async #push(offer: Offer): Promise<void> {
    const { handover, onReply, onPush } = this.#options
    const isOpen = () => !this.#isStopped && this.#offers.get(offer.message.name) === offer
    if (!isOpen()) return
    const result = await handover.offer(offer.message)
    if (result !== 'waiting') {
      offer.pushes++
      onPush(offer.message, offer.pushes === 1)
    }
    if (typeof result === 'object') await onReply(offer.message, result)
    if (isOpen()) this.#schedule(offer, Math.min(delayMsMax, delayMsFirst * 2 ** Math.max(0, offer.pushes - 1)))
  }

  #schedule(offer: Offer, delayMs: number): void {
    offer.cancelTimer?.()
    offer.cancelTimer = this.#options.clock.after(delayMs, () => this.#pushSoon(offer))
  }
}
