import { type Clock, clockOver } from '../../../../agent/clock/clock.ts'
import { modelFs } from '../../disk/model-fs.ts'
import type { ModelHost, Program } from '../../host.ts'
import type { Network } from '../../network/network.ts'
import type { ModelProcess } from '../../process.ts'
import type { Day } from '../day.ts'
import { seller } from '../model-platform.ts'
import {
  type CallAgent,
  type CallWitness,
  callByFiles,
  callOverHttp,
  type FileRecord,
  type GameCall,
  sendMistake,
} from './call-agent.ts'
import { type ListedItem, left, newListedItem, noteReport } from './game-state.ts'
import { type GameStore, openGameStore } from './game-store.ts'
import { fileMistakes, httpMistakes, tokenMistakes } from './mistakes.ts'
import type { Quirks } from './quirks.ts'
import { askForOrders, hasUnreadReply, type OrderDoor, readEvents, takePushes } from './take-orders.ts'
import type { Wants } from './wants.ts'

/** How a game server works with its agent. */
export interface GameWays {
  readonly callsBy: 'http' | 'files'
  readonly ordersBy: 'url' | 'files' | 'asking'
  readonly reportsBy: 'reply' | 'call'
}

export interface GameParts extends GameWays {
  readonly host: ModelHost
  readonly network: Network
  /** Where `/call` is: of each agent that it may ask. */
  readonly callAddresses: readonly string[]
  /** Of these agents. */
  readonly callToken: string | undefined
  readonly orderDoor: OrderDoor
  readonly spool: string
  readonly quirks: Quirks
  readonly wants: Wants
  readonly day: Day
  readonly record: FileRecord
  readonly witness: CallWitness
  /** A new itemRef. */
  readonly newItemRef: () => string
}

/** A call over HTTP has reached the agent of the same host after this time. A reply that leaves later says something newer. */
const arrivesWithinMs = 1_000
const itemsMax = 3
const stockMax = 30
/** What a game server may say about a result. */
const details = ['', 'mailbox full', 'Correio cheio: João \ud83d\ude00 \u0000 "\\', 'x'.repeat(60_000)]

/** Installs a game server that sells items, does what buyers want, sells inside the game, and handles orders. */
export function installGame(parts: GameParts): Program {
  const { host, network, callsBy, ordersBy, reportsBy, spool } = parts
  return host.install('game', (process) => {
    const fs = modelFs(host.disk, host.diskFaults, process)
    const clock = clockOver(process.time)
    const store = openGameStore(fs)
    const files =
      callsBy === 'files'
        ? callByFiles(process, fs, clock, spool, parts.record, parts.quirks, parts.witness)
        : undefined
    const callDoors = parts.callAddresses.map((address) => ({ address, token: parts.callToken }))
    const callByHttp = callOverHttp(process, clock, network, callDoors, parts.quirks, parts.witness)
    const call = files?.call ?? callByHttp
    // It does not know when a call ends for which it does not wait.
    const relies = reportsBy === 'reply' && !parts.quirks.isImpatient && process.random.happens(0.5)
    const reporting = new Map<string, Set<number>>()
    const hasArrived = (sinceMs: number) => callsBy === 'http' && clock.monotonicMs() > sinceMs + arrivesWithinMs
    const replying = new Set<string>()
    const orders = {
      replying,
      process,
      store,
      reportsBy,
      quirks: parts.quirks,
      canGive: () => process.random.happens(parts.day.phase === 'wave' ? 0.5 : 0.85),
      detail: () => process.random.pick(details),
      saysByReply: (itemRef: string) => relies && (reporting.get(itemRef)?.values().every(hasArrived) ?? true),
      onEndTold: parts.witness.onEndTold,
      onReplyWritten: parts.witness.onReplyWritten,
      onReplyTakenAway: parts.witness.onReplyTakenAway,
    }
    const again = (what: () => unknown) => void everyMoment(process, clock, what)
    if (files) again(() => parts.quirks.readsNothing || files.readInbox())
    if (ordersBy === 'url') takePushes(orders, network, parts.orderDoor)
    if (ordersBy === 'files') again(() => parts.quirks.isSlow || readEvents(orders, { process, clock, fs }, spool))
    // Two threads of the game server may ask at once.
    if (ordersBy === 'asking')
      for (let threads = process.random.pick([1, 1, 2]); threads > 0; threads--)
        void untilDead(process, clock, () => askForOrders(orders, clock, call))
    const isReplying = (itemRef: string) =>
      replying.has(itemRef) || (ordersBy === 'files' && hasUnreadReply(store, fs, spool, itemRef))
    const makeMistake = () => {
      const { random } = process
      if (files && random.happens(0.5)) return files.makeMistake(random.pick(fileMistakes))
      const door = random.pick(callDoors)
      const isForToken = door.token !== undefined && random.happens(0.2)
      void sendMistake(process, network, door, random.pick(isForToken ? tokenMistakes : httpMistakes), parts.witness)
    }
    const dayParts = { ...parts, process, clock, store, call, callByHttp, makeMistake, reporting, isReplying }
    for (const live of [liveDay, report, play]) void untilDead(process, clock, () => live(dayParts))
  })
}

/** Does something about three times a second. A disk that fails is tried again. */
async function everyMoment(process: ModelProcess, clock: Clock, what: () => unknown): Promise<void> {
  for (;;) {
    await clock.sleep(process.random.between(150, 600))
    try {
      what()
    } catch (error) {
      if (process.state === 'dead') throw error
    }
  }
}

/** Begins again after each error of the disk. */
async function untilDead(process: ModelProcess, clock: Clock, work: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      await work()
    } catch (error) {
      if (process.state === 'dead') throw error
    }
    await clock.sleep(1_000)
  }
}

/** How often a call that needs no id has one. */
const idRate = 0.3

interface DayParts extends GameParts {
  readonly process: ModelProcess
  readonly clock: Clock
  readonly store: GameStore
  readonly call: CallAgent
  /** Also for a game server that calls by files. */
  readonly callByHttp: CallAgent
  /** Sends or writes a request that is wrong. @throws {NodeJS.ErrnoException} The disk fails. */
  readonly makeMistake: () => void
  /** When each stock report that is under way left, by item. */
  readonly reporting: Map<string, Set<number>>
  /**
   * Whether a reply to an order of an item is on its way to the agent. It says a stock too, so no other stock of the item is
   * reported meanwhile.
   *
   * @throws {NodeJS.ErrnoException} The disk fails.
   */
  readonly isReplying: (itemRef: string) => boolean
}

/** What the people of the game server ask for, one thing after another. */
async function liveDay(parts: DayParts): Promise<void> {
  const { process, clock, day } = parts
  const { random } = process
  for (;;) {
    await clock.sleep(random.magnitude(100, 4_000))
    await random.pick(acts[day.phase])(parts)
  }
}

/** Tells the platform what it must hear. One loop does it, so that a newer stock is never said before an older one. */
async function report(parts: DayParts): Promise<void> {
  const { process, clock, store, day } = parts
  // Calls that are under way at two agents have no order.
  const isEager = parts.callAddresses.length === 1 && process.random.happens(0.5)
  /** The last change that an eager game server has said, of each item. */
  const saidChanges = new Map<string, number>()
  const sayAtOnce = (itemRef: string, { changes }: ListedItem): void => {
    if (saidChanges.get(itemRef) === changes) return
    saidChanges.set(itemRef, changes)
    const sayAgain = () => void (saidChanges.get(itemRef) === changes && saidChanges.delete(itemRef))
    void reportStock(parts, itemRef).then((isSaid) => isSaid || sayAgain(), sayAgain)
  }
  for (;;) {
    await clock.sleep(process.random.magnitude(100, 4_000))
    const items = Object.entries(store.read().items)
    // In the storm a clock that is set may change the order of files. A slow writer changes it too, and a locked file.
    const isOrderKept = day.phase !== 'open' && !parts.quirks.writesInPlace && !parts.quirks.isScanned
    const isSaidAtOnce = isEager && isOrderKept
    if (isSaidAtOnce) for (const [itemRef, item] of items) sayAtOnce(itemRef, item)
    else await Promise.all(items.map(([itemRef]) => reportStock(parts, itemRef)))
    if (parts.reportsBy === 'call') await reportResults(parts)
  }
}

/** How long nobody plays, at least and at most, in ms. */
type Idle = Readonly<Partial<Record<Day['phase'], readonly [min: number, max: number]>>>
const busy: Idle = { open: [1_000, 20_000], wave: [200, 5_000] }
/** What the agent has forgotten about a stock stays visible, because no other stock follows. */
const quiet: Idle = { open: [1_000, 20_000], wave: [2_000, 40_000] }

/** Players buy for the game's own money, and sellers put more into their offers. */
async function play({ process, clock, day, store }: DayParts): Promise<void> {
  const { random } = process
  const idleMs = random.pick([busy, quiet])
  for (;;) {
    const [min, max] = idleMs[day.phase] ?? [1_000, 1_000]
    await clock.sleep(random.magnitude(min, max))
    const items = Object.keys(store.read().items)
    if (!idleMs[day.phase] || items.length === 0) continue
    const itemRef = random.pick(items)
    const units = random.pick([-1, -1, 1])
    if (left(store.read(), itemRef) + units >= 0)
      store.change(({ stock }) => {
        stock[itemRef] = (stock[itemRef] ?? 0) + units
      })
  }
}

type Act = (parts: DayParts) => Promise<void>
const rest: Act = async () => undefined
const mistake: Act = async ({ makeMistake }) => makeMistake()

/** What is done at each time of the day, besides what must be reported. */
const acts: Readonly<Record<Day['phase'], readonly Act[]>> = {
  open: [offerItem, buy, buy, buy, buy, buy, askSomething, withdrawItem, mistake],
  wave: [buy, buy, buy, askSomething, registerAgain, mistake],
  calm: [rest],
  night: [rest],
  dawn: [buy, askSomething, rest],
  // An agent is ready when it has spoken with the platform.
  closing: [rest, rest, askSomething],
  closed: [rest, rest, askSomething],
}

/** Lists an item for sale. An itemRef makes it safe to repeat: a second time is 409. */
async function offerItem({ store, process, call, newItemRef }: DayParts): Promise<void> {
  const unregistered = Object.entries(store.read().items).find(([, item]) => !item.isRegistered)?.[0]
  const onSale = Object.values(store.read().items).filter(({ isWithdrawn }) => !isWithdrawn)
  if (unregistered === undefined && onSale.length >= itemsMax) return
  const itemRef = unregistered ?? newItemRef()
  const state = store.change((next) => {
    next.items[itemRef] ??= newListedItem()
    next.stock[itemRef] ??= Math.round(process.random.magnitude(1, stockMax))
  })
  const told = await call(registrationOf(itemRef))
  if (!told || (!told.ok && told.status !== 409)) return
  if (state.items[itemRef])
    store.change((next) => {
      const item = next.items[itemRef]
      if (item) item.isRegistered = true
    })
}

function registrationOf(itemRef: string): GameCall {
  const input = {
    itemRef,
    gameItemId: 'sword',
    itemName: 'Espada',
    attributes: 'Espada +7',
    quantityListed: stockMax,
    unitAmountCents: 1_000,
    sellerCharacterRef: seller,
  }
  return { operation: 'market.register', input, id: undefined }
}

/** A tool of the staff lists an item again, which is a 409. It waits for its turn among the files of the game server, but not as long. */
async function registerAgain({ store, process, callByHttp }: DayParts): Promise<void> {
  const registered = Object.entries(store.read().items).filter(([, item]) => item.isRegistered && !item.isWithdrawn)
  if (registered.length > 0) void callByHttp(registrationOf(process.random.pick(registered)[0]))
}

/** Asks the platform for a purchase, for the buyer who waits longest. */
async function buy({ store, wants, call, callsBy, process }: DayParts): Promise<void> {
  const want = wants.open.find(({ id }) => !store.read().written[id])
  if (!want) return
  const { id, itemRef, quantity, buyerCharacterRef } = want
  if (callsBy === 'files')
    store.change((next) => {
      next.written[id] = true
    })
  const purchase = { operation: 'transaction.create', input: { itemRef, quantity, buyerCharacterRef }, id }
  // Two threads of the game server may ask at once.
  if (callsBy === 'http' && process.random.happens(0.1)) void call(purchase)
  const told = await call(purchase)
  // A mistake: the id of a purchase for another one.
  if (told?.ok && callsBy === 'http' && process.random.happens(0.05))
    await call({ ...purchase, input: { ...purchase.input, quantity: quantity + 1 } })
  // Some ask again although they have an answer: it is the stored one.
  if (told && !(callsBy === 'http' && process.random.happens(0.3))) wants.close(id)
}

/** Tells the platform what is left of an item, if it should hear that. @returns Whether there is nothing more to say. */
async function reportStock(parts: DayParts, itemRef: string): Promise<boolean> {
  const { store, call, clock, reporting, isReplying } = parts
  if (isReplying(itemRef)) return false
  const item = store.read().items[itemRef]
  if (!item?.isRegistered || item.isWithdrawn || !item.isToReport) return false
  const observedQuantity = left(store.read(), itemRef)
  const underWay = reporting.get(itemRef) ?? new Set()
  reporting.set(itemRef, underWay)
  const sentMs = clock.monotonicMs()
  underWay.add(sentMs)
  const told = await call({ operation: 'market.adjust-stock', input: { itemRef, observedQuantity }, id: idOf(parts) })
  underWay.delete(sentMs)
  store.change((next) => {
    const reported = next.items[itemRef]
    if (!reported) return
    // After a failed disk the same may be said twice at once.
    if (told && reported.isToReport && item.changes >= reported.changeToReport) {
      reported.isGivenUp = !told.ok && !told.isUncertain && parts.quirks.givesUp
      // A reply to an order may have said a newer one meanwhile.
      reported.isToReport = !told.ok && !reported.isGivenUp && item.changes === reported.changes
    }
    // A withdrawal whose answer was lost.
    if (told?.status === 409) reported.isWithdrawn = true
  })
  return told?.ok === true || store.read().items[itemRef]?.isGivenUp === true
}

/** Reports by itself what became of each order, until the platform accepts it. */
async function reportResults(parts: DayParts): Promise<void> {
  const { store, call } = parts
  for (const [transactionId, { result, itemRef, isReported }] of Object.entries(store.read().orders)) {
    if (isReported) continue
    const failure = { reason: result, observedQuantity: left(store.read(), itemRef) }
    const operation = result === 'DELIVERED' ? 'transaction.delivery' : 'transaction.delivery-failure'
    const input = { transactionId: Number(transactionId), ...(result !== 'DELIVERED' && failure) }
    // The same report of an order that comes again has the same id.
    const id = parts.process.random.happens(0.5)
      ? `${transactionId}-${result}-${failure.observedQuantity}`
      : idOf(parts)
    const told = await call({ operation, input, id })
    if (told?.ok) store.change((next) => noteReport(next, transactionId, result))
  }
}

/** An id for a call that needs none. A file has one always. */
function idOf({ callsBy, process, record }: DayParts): string | undefined {
  return callsBy === 'http' && process.random.happens(idRate) ? record.newId() : undefined
}

/** Asks what changes nothing, or for what a game client carries. Sometimes many things at once, and some under an id that was used before. */
async function askSomething({ call, process: { random } }: DayParts): Promise<void> {
  const ask = () => {
    const [operation, input] = random.pick([
      ['market.eligibility', { characterRef: random.pick([seller, 'Ana']) }],
      ['character.link', { characterRef: 'Ana' }],
      ['transaction.create.envelope', { itemRef: 'sword', quantity: 1, buyerCharacterRef: 'Ana' }],
    ] as const)
    // A mistake: one id for different questions.
    const prefix = random.happens(0.2) ? 'question' : operation
    return call({ operation, input, id: random.happens(0.6) ? `${prefix}-${random.integer(1, 2)}` : undefined })
  }
  const calls = Array.from({ length: random.happens(0.2) ? random.integer(3, 10) : 1 }, ask)
  await Promise.all(calls)
}

/** Takes an item off the market, rarely. */
async function withdrawItem({ store, call, process }: DayParts): Promise<void> {
  const [itemRef] = Object.entries(store.read().items).find(([, item]) => item.isRegistered && !item.isWithdrawn) ?? []
  if (itemRef === undefined || !process.random.happens(0.05)) return
  const told = await call({ operation: 'market.withdraw', input: { itemRef }, id: undefined })
  if (told?.ok)
    store.change((next) => {
      const item = next.items[itemRef]
      if (item) item.isWithdrawn = true
    })
}
