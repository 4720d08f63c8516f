import type { Clock } from '../../../../agent/clock/clock.ts'
import type { ModelFs } from '../../disk/model-fs.ts'
import type { Network } from '../../network/network.ts'
import type { ModelProcess } from '../../process.ts'
import { eventOfFile, orderOfFile } from '../order-of-file.ts'
import type { CallAgent, ReplyFile, ToldEnd } from './call-agent.ts'
import {
  end,
  type GameState,
  handle,
  left,
  type OfferedOrder,
  type OrderReply,
  replyTo,
  type SaidBy,
} from './game-state.ts'
import type { GameStore } from './game-store.ts'
import type { Quirks } from './quirks.ts'
import { type Writing, writeInPlace } from './write-in-place.ts'

/** What the three ways of orders have in common. */
export interface OrderParts {
  readonly process: ModelProcess
  readonly store: GameStore
  readonly quirks: Quirks
  /** Whether the mailbox of the buyer has room now. */
  readonly canGive: () => boolean
  /** What the reply says besides the result. */
  readonly detail: () => string | undefined
  /**
   * Whether its reply is all that it says about the stock that an order changes. Not while it reports a stock of the item that
   * may arrive later: the agent could not know which one is newer.
   */
  readonly saysByReply: (itemRef: string) => boolean
  /** Of which items a call with a reply is on its way to the agent. */
  readonly replying: Set<string>
  /** Called with each end that the agent tells. */
  readonly onEndTold: (end: ToldEnd) => void
  /** Called with each file of `replies/` that says what was decided. */
  readonly onReplyWritten: (reply: ReplyFile) => void
  /** The agent has not waited until a reply was whole. */
  readonly onReplyTakenAway: (name: string) => void
  /** Where the result goes: with the reply, or by a call of the game server's own. */
  readonly reportsBy: 'reply' | 'call'
}

interface TerminalEvent extends ToldEnd {
  readonly itemRef: string
}

/** Notes that a transaction is over. */
function noteEnd({ store, onEndTold }: OrderParts, event: TerminalEvent): GameState {
  onEndTold(event)
  return store.change((state) => end(state, event))
}

/** Handles an order in one transaction, and returns the reply. */
function decide(parts: OrderParts, order: OfferedOrder, name?: string): OrderReply {
  const { transactionId, itemRef } = order
  const saidBy = (next: GameState): SaidBy | undefined => {
    if (!parts.saysByReply(itemRef)) return undefined
    return next.orders[transactionId]?.result === 'TEMPORARY' ? 'report' : { replyTo: transactionId }
  }
  const state = parts.store.change((next) => handle(next, order, parts.canGive(), name), saidBy)
  return replyOf(parts, state, order)
}

function replyOf({ reportsBy, detail }: OrderParts, state: GameState, order: OfferedOrder): OrderReply {
  const { observedQuantity, result } = replyTo(state, order)
  return reportsBy === 'call' ? { observedQuantity } : { observedQuantity, result, detail: detail() }
}

/** A reply as it is written: the agent takes both forms. */
function shownReply({ quirks: { wrapsReplies } }: OrderParts, reply: object): object {
  return wrapsReplies ? { data: reply } : reply
}

/** Where a game server takes what its agent posts. */
export interface OrderDoor {
  readonly address: string
  /** By which it knows its agent now. */
  token: string
}

/** What a web server in front of a game server says that is being changed, or started. */
const ofWebServer = [301, 302, 304, 307, 404, 408, 429]

/** Takes what the agent posts to the forward URL. */
export function takePushes(parts: OrderParts, network: Network, door: OrderDoor): void {
  const { process, quirks } = parts
  const answer = (status: number, value: unknown = {}) => ({
    status,
    headers: {},
    body: Buffer.from(JSON.stringify(value)),
  })
  network.listen(process, door.address, async ({ headers, body }) => {
    if (headers[headers.indexOf('authorization') + 1] !== `Bearer ${door.token}`) return answer(401)
    if (quirks.isSlow) await think(process)
    // The request does not reach the game server.
    if (quirks.saysGarbage && process.random.happens(0.3)) return answer(process.random.pick(ofWebServer))
    try {
      const event = JSON.parse(Buffer.from(body).toString()) as OfferedOrder & { readonly event: string }
      if (event.event === 'transaction_terminal') noteEnd(parts, event)
      // Any 2xx confirms a terminal event.
      if (quirks.saysGarbage && process.random.happens(0.5)) return answer(200, 'obrigado')
      return answer(200, event.event === 'transfer_order' ? shownReply(parts, decide(parts, event)) : {})
    } catch (error) {
      if (process.state === 'dead') throw error
      return answer(503)
    }
  })
}

function think(process: ModelProcess): Promise<void> {
  return new Promise((resolve) => void process.after(process.random.magnitude(100, 30_000), 'is slow', resolve))
}

type ListedOrder = OfferedOrder & { readonly state: string }

/** Asks for orders once a second and takes them. */
export async function askForOrders(parts: OrderParts, clock: Clock, call: CallAgent): Promise<void> {
  const { process } = parts
  let since = '1970-01-01T00:00:00.000Z'
  for (;;) {
    const list = await call({ operation: 'orders.open', input: { closedSince: since }, id: undefined })
    try {
      if (parts.quirks.isSlow) await think(process)
      if (list?.ok) {
        await takeOffered(parts, clock, call, list.data['orders'] as readonly ListedOrder[])
        for (const order of list.data['closed'] as readonly (TerminalEvent & { readonly since: string })[]) {
          noteEnd(parts, order)
          since = order.since
        }
      }
    } catch (error) {
      if (process.state === 'dead') throw error
    }
    await clock.sleep(process.random.between(500, 1_500))
  }
}

/** Handles each order that is offered and says what came of it. Without an answer the list may be old. */
async function takeOffered(
  parts: OrderParts,
  clock: Clock,
  call: CallAgent,
  orders: readonly ListedOrder[],
): Promise<void> {
  const { process } = parts
  for (const order of orders) {
    if (order.state !== 'offered') continue
    parts.replying.add(order.itemRef)
    try {
      const { transactionId } = order
      const take = (reply: OrderReply) =>
        call({ operation: 'orders.take', input: { transactionId, ...reply }, id: undefined })
      if (!(await take(decide(parts, order)))) return
      if (!parts.quirks.repeatsReplies) continue
      await clock.sleep(process.random.between(0, 3_000))
      sellOne(parts, order.itemRef)
      // The first result counts, also if the copy says that it has the order and reports by itself.
      const { result, observedQuantity } = replyOf(parts, parts.store.read(), order)
      const again = process.random.pick([{ result, observedQuantity }, { observedQuantity }])
      if (!(await take(again))) return
    } finally {
      parts.replying.delete(order.itemRef)
    }
  }
}

/** A player buys one for the game's own money, if there is one. */
function sellOne({ store }: OrderParts, itemRef: string): void {
  if (left(store.read(), itemRef) > 0)
    store.change(({ stock }) => {
      stock[itemRef] = (stock[itemRef] ?? 0) - 1
    })
}

/** To an offer that nobody made. It must not count: the game server gives nothing. */
const wrongReply = JSON.stringify({ observedQuantity: 0, result: 'DELIVERED' })

/**
 * Reads the files of events, and writes the replies.
 *
 * @returns `more` if it has replied to one and has not looked at the others.
 * @throws {NodeJS.ErrnoException} The disk fails.
 */
export function readEvents(parts: OrderParts, writing: Writing, spool: string): 'more' | undefined {
  const { process, quirks } = parts
  const { fs } = writing
  for (const name of eventNames(quirks, fs, spool)) {
    const kind = eventOfFile(name)
    if (kind === undefined || fs.existsSync(`${spool}/replies/${name}`)) continue
    if (!fs.existsSync(`${spool}/events/${name}`)) continue
    const event = JSON.parse(fs.readFileSync(`${spool}/events/${name}`, 'utf8')) as OfferedOrder & {
      readonly actUntil: string
    }
    // A reply that is being written has an older stock.
    if (parts.replying.has(event.itemRef)) continue
    const wrong = `${spool}/replies/transfer_order-${event.transactionId}-999.json`
    if (quirks.repeatsReplies && process.random.happens(0.5)) {
      // It thinks a while about the right one.
      fs.writeFileSync(wrong, wrongReply)
      continue
    }
    const reply = kind === 'transaction_terminal' ? noteEnd(parts, event) && {} : decideFile(parts, event, name)
    if (reply === undefined) continue
    const isGarbage = quirks.saysGarbage && process.random.happens(0.5)
    const text = isGarbage ? '{"observedQuantity":' : JSON.stringify(shownReply(parts, reply))
    const { transactionId, itemRef } = event
    const onWritten = () => {
      if (kind === 'transfer_order' && !isGarbage) parts.onReplyWritten({ transactionId, itemRef })
    }
    if (quirks.writesInPlace)
      void replyInPlace(parts, writing, { spool, name, text, itemRef }).then(onWritten, () => undefined)
    else {
      fs.writeFileSync(`${spool}/replies/${name}.tmp`, text)
      fs.renameSync(`${spool}/replies/${name}.tmp`, `${spool}/replies/${name}`)
      onWritten()
    }
    if (quirks.repeatsReplies) fs.writeFileSync(wrong, wrongReply)
    if (quirks.readsOneByOne) return 'more'
  }
  return undefined
}

function eventNames({ listsNothing, readsNewestFirst }: Quirks, fs: Writing['fs'], spool: string): readonly string[] {
  const names = listsNothing ? namesInHeartbeat(fs, spool) : fs.readdirSync(`${spool}/events`)
  return readsNewestFirst ? names.toReversed() : names
}

function namesInHeartbeat(fs: Writing['fs'], spool: string): readonly string[] {
  const { events } = JSON.parse(fs.readFileSync(`${spool}/agent.json`, 'utf8')) as { events: readonly string[] }
  return events
}

/** Until it is whole, no other stock of the item is reported. */
async function replyInPlace(
  { replying, onReplyTakenAway }: OrderParts,
  writing: Writing,
  { spool, name, text, itemRef }: Record<'spool' | 'name' | 'text' | 'itemRef', string>,
): Promise<void> {
  const { fs } = writing
  const dir = `${spool}/replies`
  const path = `${dir}/${name}`
  // If somebody removes the directory, the agent has not taken the reply.
  const numberOfDir = () => fs.statSync(dir, { throwIfNoEntry: false })?.ino
  const isIn = numberOfDir()
  let isTooSlow = false
  replying.add(itemRef)
  try {
    await writeInPlace(writing, { path, text, mayBeEmpty: false }, () => {
      isTooSlow = true
    })
    const isAwaited = fs.existsSync(`${spool}/events/${name}`) && numberOfDir() === isIn
    if (isAwaited && !isTooSlow && !fs.existsSync(path)) onReplyTakenAway(name)
  } finally {
    replying.delete(itemRef)
  }
}

/**
 * Whether the agent has not read a reply to an order of an item. One that was cut off says no stock. It may stay there until
 * a dispute ends, so it does not count.
 *
 * @throws {NodeJS.ErrnoException} The disk fails.
 */
export function hasUnreadReply(store: GameStore, fs: ModelFs, spool: string, itemRef: string): boolean {
  const { orders } = store.read()
  const replies = `${spool}/replies`
  return fs
    .readdirSync(replies)
    .some(
      (name) =>
        orders[orderOfFile(name) ?? '']?.itemRef === itemRef &&
        fs.readFileSync(`${replies}/${name}`, 'utf8').endsWith('}'),
    )
}

function decideFile(
  parts: OrderParts,
  event: OfferedOrder & { readonly actUntil: string },
  name: string,
): OrderReply | undefined {
  const { process, store } = parts
  if (Date.parse(event.actUntil) < process.time.wallMs()) return undefined
  const known = store.read().orders[event.transactionId]
  if (known?.result === 'TEMPORARY' && known.name === name) return replyOf(parts, store.read(), event)
  return decide(parts, event, name)
}
