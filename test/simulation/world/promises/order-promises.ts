import { isOver } from '../../../../agent/orders/order-moves.ts'
import { transactionPhases } from '../../../../contract/transaction.ts'
import { phaseOfRow } from '../../../../platform-stub/marketplace/transactions/moves.ts'
import { startOfRunMs } from '../../host-clock.ts'
import type { ToldEnd } from '../game/call-agent.ts'
import type { GameWays } from '../game/game-parts.ts'
import type { GameState } from '../game/game-state.ts'
import type { ModelPlatform } from '../model-platform.ts'
import type { LoggedLine } from '../witnessed.ts'
import type { Break } from './judge.ts'

/** How old the platform's word may be when an order is handed over, with what a clock may drift. */
const freshMs = 60_500
const dayMs = 24 * 3_600_000
/** For how long `orders.open` lists an end. */
const listedMs = 30 * dayMs
/** Longer than any answer is on its way. */
const slowestMs = 60_000

/** How the agent logs a report that was accepted. */
const acceptedLine = /^order closed: the platform accepted (\w+)$/

/** And that an order is gone from its ledger. */
const removedLine = 'order removed'

interface OrderPromisesParts {
  readonly break: Break
  readonly platform: ModelPlatform
  readonly gameServerId: () => number | undefined
  /** Whether an item was registered by this game server, and not by another one of its identity. */
  readonly isOurs: (itemRef: string) => boolean
  readonly nowMs: () => number
  /** How the game server gets its orders. */
  readonly ordersBy: GameWays['ordersBy']
  /** What the game server has on its disk now. */
  readonly state: () => GameState
}

/** What agents promise about the paid orders of one game server. */
export class OrderPromises {
  readonly #parts: OrderPromisesParts
  /** What the platform accepted last, as the log says it, by transaction. */
  readonly #accepted = new Map<number, { readonly result: string; readonly atMs: number }>()
  /** When the terminal event of each transaction was acknowledged first. */
  readonly #endedMs = new Map<number, number>()

  constructor(parts: OrderPromisesParts) {
    this.#parts = parts
  }

  /** The agent hands an order over: by a push, a file, or in a list. */
  readonly onHandedOver = (transactionId: number, by: string): void => {
    if (!this.#isOurs(transactionId))
      this.#parts.break('no order of another game server is handed over', `${transactionId} by ${by}`)
    else if (!this.#wasAwaited(transactionId))
      this.#parts.break(
        'an order is handed over only if the platform waited for it within the last 60 s',
        `${transactionId} by ${by}`,
      )
  }

  #isOurs(transactionId: number): boolean {
    const { platform, gameServerId, isOurs } = this.#parts
    const row = platform.composed.platform.tables.transactions.byId(transactionId)
    return row?.gameServerId === gameServerId() && isOurs(platform.itemOf(transactionId))
  }

  /** Whether the platform waited for the delivery at some moment of the last 60 s. */
  #wasAwaited(transactionId: number): boolean {
    return this.#wordsOfLastMinute(transactionId).includes(true)
  }

  /**
   * What the platform has said about a transaction in the last 60 s, since its payment: whether it waits for the
   * delivery.
   */
  #wordsOfLastMinute(transactionId: number): readonly boolean[] {
    const sinceMs = startOfRunMs + this.#parts.nowMs() - freshMs
    const words: boolean[] = []
    for (const { at, deliveryStatus } of this.#parts.platform.composed.platform.tables.transactions.historyOf(
      transactionId,
    )) {
      if (at < sinceMs) words.length = 0
      if (deliveryStatus !== null) words.push(deliveryStatus === 'AGUARDANDO_SERVIDOR')
    }
    return words
  }

  /** The agent answers a webhook of the platform. @param isDurable What the agent has on its disk. */
  readonly onAcknowledged = (event: string, transactionId: number, isDurable = { reply: true, end: true }): void => {
    if (!this.#isOurs(transactionId))
      this.#parts.break('no event of another game server is acknowledged', `${event} ${transactionId}`)
    if (event === 'transaction_terminal' && !this.#endedMs.has(transactionId))
      this.#endedMs.set(transactionId, this.#parts.nowMs())
    if (event === 'transaction_terminal' && !isDurable.end)
      this.#parts.break('a terminal event is acknowledged only if it is on the disk', String(transactionId))
    if (event !== 'transfer_order' || (this.#parts.state().orders[transactionId] && isDurable.reply)) return
    // An order that is over, or disputed, needs no reply.
    if (this.#wordsOfLastMinute(transactionId).every((isAwaited) => isAwaited))
      this.#parts.break('an order is acknowledged only when the game server has it durably', String(transactionId))
  }

  readonly onLogged = ({ msg, transactionId, phase }: LoggedLine): void => {
    if (transactionId === undefined) return
    const [, reported] = acceptedLine.exec(msg) ?? []
    const isForgotten = msg.startsWith(removedLine) || (phase !== undefined && !isOver(phase))
    if (reported !== undefined) this.#accepted.set(transactionId, { result: reported, atMs: this.#parts.nowMs() })
    else if (isForgotten) this.#accepted.delete(transactionId)
  }

  /** The agent says how a transaction ended. */
  readonly onEndTold = ({ transactionId, outcome, reported }: ToldEnd): void => {
    const { transactions } = this.#parts.platform.composed.platform.tables
    const row = transactions.byId(transactionId)
    const hasEnded = (outcome ?? null) === null || (row && outcome === transactionPhases[phaseOfRow(row)].outcome)
    const moves = transactions.historyOf(transactionId).map(({ trigger }) => String(trigger))
    const move = reported === 'DELIVERED' ? 'deliver' : 'fail-out-of-stock'
    const isForgotten = reported !== this.#acceptedOf(transactionId, reported)
    if (!hasEnded || (typeof reported === 'string' && !moves.includes(move)) || isForgotten)
      this.#parts.break('what the agent says about an end is true', `${transactionId}: ${outcome}, ${reported}`)
  }

  /** What an agent must say that the platform accepted. An answer may be old when it is read, and a month later it is forgotten. */
  #acceptedOf(transactionId: number, otherwise: ToldEnd['reported']): ToldEnd['reported'] {
    const accepted = this.#accepted.get(transactionId)
    if (!accepted) return otherwise
    const ageMs = this.#parts.nowMs() - accepted.atMs
    return ageMs > slowestMs && ageMs < listedMs - dayMs ? accepted.result : otherwise
  }

  /** A terminal event that was acknowledged and that the game server has not got; undefined if there is none. */
  findUntold(): number | undefined {
    const { state, nowMs, ordersBy } = this.#parts
    const { orders } = state()
    // A game server that asks may have been away for as long as an end is listed.
    const sinceMs = ordersBy === 'asking' ? nowMs() - listedMs : Number.NEGATIVE_INFINITY
    return this.#endedMs.entries().find(([id, endedMs]) => endedMs > sinceMs && !orders[id]?.hasOutcome)?.[0]
  }

  /** When all is quiet: what the game server gave is what the platform sold. */
  checkLedgers(): void {
    const state = this.#parts.state()
    for (const [transactionId, times] of Object.entries(state.given))
      if (times !== 1) this.#parts.break('each item is given once', `${transactionId}: ${times} times`)
    const { transactions } = this.#parts.platform.composed.platform.tables
    for (let id = 1; ; id++) {
      const row = transactions.byId(id)
      if (!row) return
      if (!this.#isOurs(id)) continue
      const phase = phaseOfRow(row)
      const isGiven = state.given[id] === 1
      if (phase === 'completed' && !isGiven)
        this.#parts.break('what the platform takes for delivered was given', String(id))
      if (phase === 'refunded-after-failure' && isGiven)
        this.#parts.break('what was given is not reported as missing', String(id))
    }
  }
}
