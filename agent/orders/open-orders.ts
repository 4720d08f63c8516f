import { type Message, messageOf } from './message.ts'
import type { Order } from './order.ts'
import { awaitsReply } from './order-moves.ts'

/** How messages reach the game server. */
export type Channel = 'url' | 'files' | 'asking'

/** A transaction for which the agent has something to do, in the one state that says what. Times are monotonic ms. */
export type OpenOrder = {
  readonly order: Order
  /** What the game server is to be told now. */
  readonly message: Message | undefined
  /** When the platform was last known to wait for it; minus infinity where it was not asked yet. */
  readonly provenMs: number
  /** How often in a row its push, its question or its report did not succeed. */
  readonly tries: number
} & (
  | { readonly at: 'due'; readonly atMs: number }
  /** Its file was written by this process. It is renewed at `atMs`. */
  | { readonly at: 'shown'; readonly atMs: number }
  /** As `shown`, with a reply file that is not a reply yet and has not changed since a moment. */
  | { readonly at: 'half-replied'; readonly atMs: number; readonly stamp: string; readonly sinceMs: number }
  /** What is under way. `reply`: the ledger is about to have its reply. */
  | { readonly at: 'ask' | 'push' | 'reply' | 'report' }
)

/**
 * What is done for an open order: the platform is asked whether it waits, its message is pushed or shown, its result is
 * reported. A terminal event that no game server gets is confirmed.
 */
export type Effect = 'ask' | 'push' | 'show' | 'report' | 'confirm'

/** Whether nothing is under way for an open order, so that `atMs` says when something is due. */
export function isWaiting(open: OpenOrder): open is Extract<OpenOrder, { atMs: number }> {
  return open.at === 'due' || open.at === 'shown' || open.at === 'half-replied'
}

/** An open order with which the agent has not begun yet. */
export function openOrder(order: Order, atMs: number): OpenOrder {
  return { order, message: messageOf(order), provenMs: Number.NEGATIVE_INFINITY, tries: 0, at: 'due', atMs }
}

/** The bounds of `nextEffects`. Each kind has slots of its own, so that no terminal event keeps one from an order. */
export interface OpenOrderLimits {
  readonly channel: Channel
  readonly slots: { readonly orders: number; readonly terminalEvents: number; readonly reports: number }
}

/** How long an answer of the platform allows an order to be handed over. */
export const proofMs = 60_000
const retryMsFirst = 1_000
const retryMsMax = 30_000
const reportMsMax = 300_000
/** No platform needs more, and a wrong `Retry-After` must not keep a result back for days. */
const retryAfterMsMax = 3_600_000

/** When a message or a question is tried again after this many tries: 1 s, doubling to 30 s. */
export function retryDelayMs(tries: number, maxMs = retryMsMax): number {
  return Math.min(maxMs, retryMsFirst * 2 ** Math.max(0, tries - 1))
}

/** When a report is made again: 1 s, doubling to 5 min, and not before the platform allows it, up to an hour. */
export function reportDelayMs(tries: number, retryAfterMs = 0): number {
  return Math.max(Math.min(retryAfterMs, retryAfterMsMax), retryDelayMs(tries, reportMsMax))
}

/** Whether an answer of the platform is too old to hand an order over, or there is none. */
export function needsProof({ provenMs }: OpenOrder, nowMs: number): boolean {
  return nowMs - provenMs > proofMs
}

/** Whether the same is to be done for both: what was begun for the one continues for the other. */
export function isSameTask(one: Order, other: Order): boolean {
  const isSamePhase = one.phase === other.phase || (awaitsReply(one.phase) && awaitsReply(other.phase))
  return isSamePhase && one.generation === other.generation && one.terminalText === other.terminalText
}

/**
 * Everything that is due, in the order of the table, within the slots that are free. Pure.
 *
 * @param platformMs The platform's time, Unix ms: an order that was put off waits for it.
 */
export function nextEffects(table: Iterable<OpenOrder>, limits: OpenOrderLimits, nowMs: number, platformMs: number) {
  const effects: { readonly effect: Effect; readonly open: OpenOrder }[] = []
  const all = [...table]
  const free = { ...limits.slots }
  for (const { at, order } of all) {
    const slot = slotOf(at, order)
    if (slot) free[slot]--
  }
  for (const open of all) {
    const effect =
      isWaiting(open) && open.atMs <= nowMs ? dueEffect(open, limits.channel, nowMs, platformMs) : undefined
    if (!effect) continue
    const slot = slotOf(effect, open.order)
    if (slot === undefined || free[slot]-- > 0) effects.push({ effect, open })
  }
  return effects
}

function dueEffect(open: OpenOrder, channel: Channel, nowMs: number, platformMs: number): Effect | undefined {
  const { phase, retryAtMs } = open.order
  switch (phase) {
    case 'taken':
      return 'ask'
    case 'put-off':
      return retryAtMs === null || retryAtMs <= platformMs ? 'ask' : undefined
    case 'reporting':
      return 'report'
    case 'ended':
    case 'closed':
      return channel === 'url' ? 'push' : channel === 'files' ? 'show' : 'confirm'
    default:
      if (needsProof(open, nowMs)) return 'ask'
      // A game server that asks gets its orders when it asks.
      return channel === 'url' ? 'push' : channel === 'files' ? 'show' : undefined
  }
}

function slotOf(at: OpenOrder['at'] | Effect, { phase }: Order): keyof OpenOrderLimits['slots'] | undefined {
  if (at === 'report') return 'reports'
  if (at !== 'push') return undefined
  return phase === 'ended' ? 'terminalEvents' : 'orders'
}
