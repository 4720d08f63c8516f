import { type Message, messagesOf } from './message.ts'
import type { Order } from './order.ts'

/** How messages reach the game server. */
export type Way = 'url' | 'files' | 'asking'

/** One message to the game server. Times are monotonic ms. */
export type Handing = {
  readonly message: Message
  /** When the platform was last known to wait for an order; minus infinity where it was not asked yet. */
  readonly provenMs: number
  /** How often the platform was asked, or the message pushed, since it was last hastened. */
  readonly tries: number
} & (
  | { readonly at: 'due'; readonly atMs: number }
  /** The platform is asked whether it still waits. `wasShown`: a file of this message may be there. */
  | { readonly at: 'asking'; readonly wasShown: boolean }
  /** In a slot of its kind: orders before terminal events. */
  | { readonly at: 'pushing' }
  /** Its file was written by this process. The game server may act on it until `untilMs`. */
  | { readonly at: 'shown'; readonly untilMs: number }
  /** As `shown`, with a reply file that is not a reply yet and has not changed since a moment. */
  | { readonly at: 'half-replied'; readonly untilMs: number; readonly stamp: string; readonly sinceMs: number }
  /** The ledger is about to have its reply. */
  | { readonly at: 'replying' }
  /** Its files must still go; those of an earlier agent too. */
  | { readonly at: 'withdrawing' }
)

/** What is to be done for a message now. */
export interface Effect {
  readonly do: 'ask' | 'push' | 'show' | 'remove'
  readonly handing: Handing
}

/** The bounds of `next`. */
export interface HandingLimits {
  readonly way: Way
  /** Questions to the platform, orders and terminal events under way at once. */
  readonly questions: number
  readonly orders: number
  readonly terminalEvents: number
}

/** For so long an answer of the platform allows an order to be handed over. */
export const proofMs = 60_000
/** An order's file may be acted on for so long after it was written. */
export const actMs = 120_000
const retryMsFirst = 1_000
const retryMsMax = 30_000

/** When a message is tried again after so many tries: 1 s, doubling to 30 s. */
export function retryDelayMs(tries: number): number {
  return Math.min(retryMsMax, retryMsFirst * 2 ** Math.max(0, tries - 1))
}

/** Whether an answer of the platform is too old, or there is none. Only orders need one. */
export function needsProof({ message, provenMs }: Handing, nowMs: number): boolean {
  return message.event === 'transfer_order' && nowMs - provenMs > proofMs
}

/** Everything that is due, in the order of the table, within the slots that are free. Pure. */
export function next(table: Iterable<Handing>, limits: HandingLimits, nowMs: number): readonly Effect[] {
  const effects: Effect[] = []
  const handings = [...table]
  const underWay = (isMeant: (handing: Handing) => boolean) => handings.filter(isMeant).length
  const free = {
    ask: limits.questions - underWay(({ at }) => at === 'asking'),
    transfer_order:
      limits.orders - underWay(({ at, message }) => at === 'pushing' && message.event === 'transfer_order'),
    transaction_terminal:
      limits.terminalEvents - underWay(({ at, message }) => at === 'pushing' && message.event !== 'transfer_order'),
  }
  for (const handing of handings) {
    const what = dueEffect(handing, limits.way, nowMs)
    const slot = what === 'ask' ? 'ask' : what === 'push' ? handing.message.event : undefined
    if (!what || (slot && free[slot] <= 0)) continue
    if (slot) free[slot]--
    effects.push({ do: what, handing })
  }
  return effects
}

function dueEffect(handing: Handing, way: Way, nowMs: number): Effect['do'] | undefined {
  if (handing.at === 'withdrawing') return 'remove'
  if (handing.at === 'shown') {
    if (nowMs < handing.untilMs - proofMs) return undefined
    return needsProof(handing, nowMs) ? 'ask' : 'show'
  }
  if (handing.at !== 'due' || handing.atMs > nowMs) return undefined
  if (needsProof(handing, nowMs)) return 'ask'
  // A game server that asks gets its orders when it asks.
  if (way === 'asking') return undefined
  return way === 'files' ? 'show' : 'push'
}

/** All messages to the game server, each in one state. */
export class HandingTable {
  readonly #all = new Map<string, Handing>()
  readonly #namesOf = new Map<number, readonly string[]>()
  readonly #way: Way

  constructor(way: Way) {
    this.#way = way
  }

  /** The one that has waited longest comes first. */
  get all(): Iterable<Handing> {
    return this.#all.values()
  }

  find(name: string): Handing | undefined {
    return this.#all.get(name)
  }

  /** Whether a message is still to be handed over. */
  isOpen(name: string): boolean {
    const handing = this.#all.get(name)
    return handing !== undefined && handing.at !== 'withdrawing'
  }

  /** The open message with the order of a transaction. */
  orderOf(transactionId: number): Handing | undefined {
    return (this.#namesOf.get(transactionId) ?? [])
      .map((name) => this.#all.get(name))
      .find((handing) => handing?.message.event === 'transfer_order')
  }

  /** Replaces the state of a message, behind those that wait as long. */
  set(handing: Handing): void {
    if (handing.at === 'due') this.#all.delete(handing.message.name)
    this.#all.set(handing.message.name, handing)
  }

  remove(name: string): void {
    this.#all.delete(name)
  }

  /** Takes note of what the ledger knows of a transaction, undefined where it knows nothing: what is over, and what is new. */
  follow(
    transactionId: number,
    order: Order | undefined,
  ): { readonly over: readonly Message[]; readonly begun: readonly Message[] } {
    const isTold = ({ event }: Message) => event === 'transfer_order' || this.#way !== 'asking'
    const messages = order ? messagesOf(order).filter(isTold) : []
    const known = (this.#namesOf.get(transactionId) ?? []).flatMap((name) => this.#all.get(name)?.message ?? [])
    const isIn = (list: readonly Message[], { name, text }: Message) =>
      list.some((other) => other.name === name && other.text === text)
    if (messages.length === 0) this.#namesOf.delete(transactionId)
    else
      this.#namesOf.set(
        transactionId,
        messages.map(({ name }) => name),
      )
    return {
      over: known.filter((message) => !isIn(messages, message)),
      begun: messages.filter((message) => !isIn(known, message)),
    }
  }
}
