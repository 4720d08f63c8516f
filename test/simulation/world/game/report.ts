import type { Day } from '../day.ts'
import type { GameCall, Told } from './call-agent.ts'
import type { DayParts } from './game-parts.ts'
import { isForSale, type ListedItem, left, noteReport } from './game-state.ts'

const isBusy: ReadonlySet<Day['phase']> = new Set(['open', 'wave'])
/** How often such a game server loses an order. */
const lossRate = 0.3

/** How often a call that needs no id has one. */
const idRate = 0.3
const twiceRate = 0.5
/** The file is claimed by then. */
const soonMs = { min: 1, max: 2_000 }

/** Tells the platform what it must hear. One loop does it, so that a newer stock is never said before an older one. */
export async function report(parts: DayParts): Promise<void> {
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
    else await allEnded(items.map(([itemRef]) => reportStock(parts, itemRef)))
    if (parts.reportsBy === 'call') await reportResults(parts)
  }
}

/** A file that cannot be written must not let a newer stock of another item go before an older one. */
async function allEnded(reports: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(reports)
  await Promise.all(reports)
}

/** Tells the platform what is left of an item, if it should hear that. @returns Whether there is nothing more to say. */
async function reportStock(parts: DayParts, itemRef: string): Promise<boolean> {
  const { store, call, clock, reporting, isReplying } = parts
  if (isReplying(itemRef)) return false
  const item = store.read().items[itemRef]
  if (!isForSale(item) || !item?.isToReport) return false
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
    if (told?.ok && item.changes === reported.changes) reported.saidInReplyTo = undefined
    // A withdrawal whose answer was lost.
    if (told?.status === 409) reported.isWithdrawn = true
    if (reported.registration === 'in-doubt') reported.registration = registrationAfter(told)
  })
  return told?.ok === true || store.read().items[itemRef]?.isGivenUp === true
}

/** What the answer to a stock shows about a registration in doubt. The 404 of an intermediary has a code. */
function registrationAfter(told: Told | undefined): ListedItem['registration'] {
  if (told?.ok) return 'known'
  return told?.status === 404 && told.code === undefined ? 'none' : 'in-doubt'
}

/** Reports by itself what became of each order, until the platform accepts it. */
async function reportResults(parts: DayParts): Promise<void> {
  const { store, call, callsBy } = parts
  for (const [transactionId, { result, itemRef, isReported, isLost }] of Object.entries(store.read().orders)) {
    if (isReported || isLost || loseOrder(parts, transactionId)) continue
    const failure = { reason: result, observedQuantity: left(store.read(), itemRef) }
    const operation = result === 'DELIVERED' ? 'transaction.delivery' : 'transaction.delivery-failure'
    const input = { transactionId: Number(transactionId), ...(result !== 'DELIVERED' && failure) }
    // The same report of an order that comes again has the same id.
    const id = parts.process.random.happens(0.5)
      ? `${transactionId}-${result}-${failure.observedQuantity}`
      : idOf(parts)
    // Two threads of the game server may report at once. The second one waits. Its stock is older than what passes it.
    if (parts.process.random.happens(twiceRate)) {
      void call({ operation, input, id: idOf(parts) }).catch(() => undefined)
      if (callsBy === 'files' && result === 'DELIVERED' && id !== undefined)
        void repeatByTool(parts, { operation, input, id })
    }
    const told = await call({ operation, input, id })
    if (told?.ok) store.change((next) => noteReport(next, transactionId, result))
  }
}

/** Nothing was given for it, so the order may be decided again. @returns Whether it is lost now. */
function loseOrder({ store, day, quirks, process }: DayParts, transactionId: string): boolean {
  const known = store.read().orders[transactionId]
  const isLost =
    quirks.losesOrders && isBusy.has(day.phase) && known?.result === 'OUT_OF_STOCK' && process.random.happens(lossRate)
  if (isLost)
    store.change((next) => {
      next.orders[transactionId] = { ...known, isLost }
    })
  return isLost
}

/** A tool of the staff asks by HTTP for what a file asks, while that waits. One of the two is sent, and the other gets its answer. */
export async function repeatByTool({ process, clock, callUnheard }: DayParts, call: GameCall): Promise<void> {
  await clock.sleep(process.random.magnitude(soonMs.min, soonMs.max))
  await callUnheard(call)
}

/** An id for a call that needs none. A file has one always. */
function idOf({ callsBy, process, record }: DayParts): string | undefined {
  return callsBy === 'http' && process.random.happens(idRate) ? record.newId() : undefined
}
