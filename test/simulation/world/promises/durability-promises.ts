import { basename } from 'node:path'
import { awaitsReply, isOver } from '../../../../agent/orders/order-moves.ts'
import { idOfRequest, ownFileOf } from '../../../../agent/spool/names.ts'
import { limits } from '../../../../contract/limits.ts'
import {
  type AgentState,
  durableAnswerIn,
  durableOrderIn,
  endOfWindowIn,
  expectsLate,
  isInJournal,
  stockIn,
} from '../../agent/model-outside.ts'
import type { Disk } from '../../disk/disk.ts'
import type { DiskFaults } from '../../disk/disk-faults.ts'
import { type HostClock, wasSetSince } from '../../host-clock.ts'
import type { SentRequest } from '../sent-request.ts'
import type { GivenCall, LoggedLine } from '../witnessed.ts'
import { isClaimOf } from './claim-of.ts'
import type { ProcessParts } from './judge.ts'
import { isRepetition } from './repetition.ts'
import { RepliedOrders } from './replied-orders.ts'

interface DurabilityParts extends ProcessParts {
  readonly disk: Disk
  readonly state: AgentState
  readonly spool: string
  /** Whether the game server writes its calls as files. */
  readonly isByFiles: boolean
  /** Whether a file of the game server is due an answer: it is whole and was not taken back. */
  readonly isDue: (id: string) => boolean
  readonly clock: Pick<HostClock, 'wallMs' | 'lastSetMs'>
  readonly diskFaults: Pick<DiskFaults, 'isHealthy'>
}

/** The end of the name of a claim whose journal could not forget an expired answer. */
const ofFullDisk = '-full'
/** The agent takes a smaller difference between the clocks of a host for drift. */
const driftMsMax = 2_000

/**
 * What must survive a power cut before the next step, whether or not a power cut comes.
 * - The intent of a purchase and its claim, before it is sent.
 * - Its answer, or its envelope, before it is given. The next process knows how old it is, although the clock was set. If a start
 *   shows it, it is remembered from then on.
 * - A stock, before its caller is told that it was accepted.
 * - An answer in a file, or the name of the request, before the claim goes.
 * - The removal of the claim of a purchase, before its refusal is shown.
 * - A reply, before it is confirmed.
 *
 * The journal also keeps the intent of a purchase until its attempt has ended.
 *
 * The buyer of each purchase has the name of its id.
 */
export class DurabilityPromises {
  readonly #parts: DurabilityParts
  /** How many commits the ledger had when a stock first left, until its call is answered. By item and quantity. */
  readonly #sentStocks = new Map<string, number>()
  /** When the attempt of a purchase ended. */
  readonly #endedMs = new Map<string, number>()
  /** When a file was claimed last, by id. */
  readonly #claimedMs = new Map<string, number>()
  readonly #replied = new RepliedOrders()
  /** When the game server began to take an order. */
  readonly #takenMs = new Map<number, number>()

  constructor(parts: DurabilityParts) {
    this.#parts = parts
  }

  /** Called before it leaves. @returns Called when the attempt of a purchase has ended. */
  readonly onSent = ({ operation, input }: SentRequest): (() => void) | undefined => {
    const { state, isByFiles } = this.#parts
    if (input['observedQuantity'] !== undefined && !expectsLate(state))
      this.#parts.break('a stock leaves when it is on the disk that it may arrive late', String(input['itemRef']))
    if (operation === 'market.adjust-stock') this.#noteSent(input)
    if (operation !== 'transaction.create') return undefined
    const id = String(input['buyerCharacterRef'])
    if (durableAnswerIn(state, id) !== null)
      this.#parts.break('a purchase is sent only if its intent is on the disk', id)
    if (isByFiles && !this.#hasDurableClaim(id))
      this.#parts.break('a purchase in a file is sent only if its claim is on the disk', id)
    return () => {
      this.#endedMs.set(id, this.#parts.nowMs())
      if (!isInJournal(state, id))
        this.#parts.break('the intent of a purchase is kept until the purchase is answered', id)
    }
  }

  readonly onLogged = (line: LoggedLine): void => this.#replied.onLogged(line, this.#parts.nowMs())

  readonly onTaken = ({ operation, input }: GivenCall): void => {
    if (operation === 'orders.take') this.#takenMs.set(Number(input?.['transactionId']), this.#parts.nowMs())
  }

  readonly onGiven = ({ operation, id, input }: GivenCall, text: string): void => {
    const isOk = text.startsWith('{"ok":true')
    // A repetition is the answer of an earlier call.
    if (operation === 'market.adjust-stock' && !isRepetition(text)) this.#checkStock(input, isOk)
    if (!isOk) return
    if (operation === 'transaction.create') this.#checkPurchase(id)
    if (operation === 'transaction.create.envelope' && id !== undefined) this.#checkAnswer(id)
    if (operation === 'orders.take') this.#checkTaken(Number(input?.['transactionId']))
  }

  readonly onRenamed = (from: string, to: string): void => {
    const { disk } = this.#parts
    const id = idOfRequest(basename(to))
    if (from.endsWith('.done') && id !== undefined && isPurchase(id)) this.#checkShown(id, disk.textOf(to))
    const own = ownFileOf(basename(to))
    if (own?.kind === 'claim') {
      this.#claimedMs.set(own.id, this.#parts.nowMs())
      this.#checkClaim(own.id, basename(to))
    }
    if (to.endsWith('.rejected')) this.onRemoved(from)
  }

  /** An answer is written whole, then its claim goes, then it is shown. Or the request gets its name back, and then its claim goes. */
  readonly onRemoved = (path: string): void => {
    const { disk, spool, isDue } = this.#parts
    const own = ownFileOf(basename(path))
    if (own?.kind !== 'claim') return
    const request = `${spool}/outbox/${own.id}.json`
    const done = `${request}.done`
    const isAnswered = disk.find(done, 'stat') !== undefined
    // The game server may take it back as soon as it has its name.
    const isTakenBack = !isAnswered && !disk.find(request, 'stat') && !isDue(own.id)
    const isKept = isTakenBack || (isAnswered ? disk.isDurable(done) : this.#hasDurableName(request))
    if (!isKept)
      this.#parts.break('a claim goes only when its answer or the name of its request is on the disk', own.id)
  }

  /** An earlier request with its id is over, and no power cut changes that. */
  #checkClaim(id: string, claim: string): void {
    const { disk, spool, state, clock, startedMs } = this.#parts
    const comesBack = disk.namesThatComeBack(`${spool}/outbox`)
    if (comesBack.some((name) => name === `${id}.json.done` || (isClaimOf(id, name) && name !== claim)))
      this.#parts.break('a request is claimed when an earlier one with its id is over for good', id)
    const overMs = clock.wallMs - driftMsMax
    const isOver = !wasSetSince(clock, startedMs()) && endOfWindowIn(state, id, 'durable') < overMs
    // An answer that is newer than what is on the disk counts. Of an id that is not known the end is NaN.
    const isRememberedNow = endOfWindowIn(state, id, 'now') >= overMs
    if (isOver && !isRememberedNow && !claim.endsWith(ofFullDisk) && typeof durableAnswerIn(state, id) === 'string')
      this.#parts.break('a request is claimed when the answer to an earlier one with its id is forgotten', id)
  }

  #checkTaken(transactionId: number): void {
    if (!this.isReplyDurable(transactionId, this.#takenMs.get(transactionId) ?? 0))
      this.#parts.break('a reply is confirmed only if it is on the disk', String(transactionId))
  }

  /** The game server's reply to an order is in the ledger. @param sinceMs If it was offered again after this, the earlier reply counts. */
  isReplyDurable(transactionId: number, sinceMs: number): boolean {
    const order = durableOrderIn(this.#parts.state, transactionId)
    if (order === undefined) return false
    return !awaitsReply(order.phase) || (order.generation > 1 && this.#replied.wasRepliedSince(transactionId, sinceMs))
  }

  /** The game server has the end of a transaction, or the ledger keeps it. */
  isEndDurable(transactionId: number): boolean {
    const order = durableOrderIn(this.#parts.state, transactionId)
    // Of an earlier transaction of this number only the order is there.
    return order !== undefined && isOver(order.phase) && order.terminalText !== null
  }

  #checkShown(id: string, text: string): void {
    const isFound = this.#isFoundByStart(id, text)
    if (text.includes('"ok":true')) this.#checkPurchase(id, isFound)
    else this.#checkClaimGone(id)
    if (isFound && text.includes('"uncertain":true')) this.#checkPurchase(id, true)
  }

  /**
   * An earlier process has claimed the purchase that this one answers. A repetition is remembered for as long as the first answer,
   * and an envelope for as long as it is valid.
   */
  #isFoundByStart(id: string, text: string): boolean {
    const { diskFaults, startedMs } = this.#parts
    const claimedMs = this.#claimedMs.get(id) ?? Number.POSITIVE_INFINITY
    return id.startsWith('buy-') && claimedMs < startedMs() && diskFaults.isHealthy && !isRepetition(text)
  }

  /** The next process must not make it again before the window of its id is over. */
  #checkPurchase(id = '', isFoundByStart = false): void {
    this.#checkAnswer(id)
    const { state, clock, startedMs, nowMs } = this.#parts
    const endedMs = isFoundByStart ? startedMs() : this.#endedMs.get(id)
    if (endedMs === undefined || wasSetSince(clock, endedMs)) return
    const ageMs = clock.wallMs - endOfWindowIn(state, id, 'durable') + limits.idempotencyWindowMs
    const isRight = ageMs > -driftMsMax && ageMs < nowMs() - endedMs + driftMsMax
    if (!isRight) this.#parts.break('the next process knows how old the answer to a purchase is', `${id}: ${ageMs} ms`)
  }

  #checkAnswer(id = ''): void {
    if (typeof durableAnswerIn(this.#parts.state, id) !== 'string')
      this.#parts.break('the answer to a purchase is given only if it is on the disk', id)
  }

  /** Otherwise the next start makes a call that was refused. A file that could not be understood is refused again. */
  #checkClaimGone(id: string): void {
    const { disk, spool } = this.#parts
    const outbox = `${spool}/outbox`
    const isRejected = disk.namesIn(outbox).includes(`${id}.json.rejected`)
    if (!isRejected && disk.namesThatComeBack(outbox).some((name) => isClaimOf(id, name)))
      this.#parts.break('a refusal is shown only when its claim is gone for good', id)
  }

  #hasDurableName(path: string): boolean {
    const { disk } = this.#parts
    return disk.find(path, 'stat') !== undefined && disk.isNameDurable(path)
  }

  #noteSent(stock: Stock): void {
    if (stock.observedQuantity === undefined) return
    const key = stockKeyOf(stock)
    this.#sentStocks.set(key, this.#sentStocks.get(key) ?? this.#parts.state.ledger.commits)
  }

  /** If a power cut takes it back, the next answer to a webhook gives the platform an older one. */
  #checkStock(stock: Stock = {}, isOk: boolean): void {
    const { state } = this.#parts
    const key = stockKeyOf(stock)
    const commits = this.#sentStocks.get(key)
    this.#sentStocks.delete(key)
    if (!isOk || commits === undefined || commits <= state.ledger.syncedCommits) return
    const item = String(stock.itemRef)
    // A newer one may have been noted meanwhile, and one without an order is not kept.
    const isKept = stockIn(state, item, 'now') === stock.observedQuantity
    if (isKept && stockIn(state, item, 'durable') !== stock.observedQuantity)
      this.#parts.break('a stock counts as accepted only if it is on the disk', key)
  }

  #hasDurableClaim(id: string): boolean {
    const { disk, spool } = this.#parts
    const outbox = `${spool}/outbox`
    return disk.namesIn(outbox).some((name) => isClaimOf(id, name) && disk.isNameDurable(`${outbox}/${name}`))
  }
}

/** In a call, or in a request to the platform. */
interface Stock {
  readonly itemRef?: unknown
  readonly observedQuantity?: unknown
}

function stockKeyOf({ itemRef, observedQuantity }: Stock): string {
  return `${itemRef} ${observedQuantity}`
}

/** In a file: a purchase, or an envelope for one. */
function isPurchase(id: string): boolean {
  return id.startsWith('buy-') || id.startsWith('transaction.create.envelope-')
}
