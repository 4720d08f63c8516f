import { clockOver } from '../../../agent/clock/clock.ts'
import { type TransactionPhase, transactionPhases } from '../../../contract/transaction.ts'
import { Refusal } from '../../../platform-stub/marketplace/refusal.ts'
import { phaseOfRow } from '../../../platform-stub/marketplace/transactions/moves.ts'
import { moveByHand } from '../../../platform-stub/marketplace/transactions/purchase.ts'
import type { TransactionRow } from '../../../platform-stub/store/transaction-rows.ts'
import type { ModelHost, Program } from '../host.ts'
import type { Random } from '../random.ts'
import type { Day } from './day.ts'
import type { Wants } from './game/wants.ts'
import type { ModelPlatform } from './model-platform.ts'

/** A game server, as the people before it see it. */
export interface Shop {
  readonly name: string
  readonly gameServerId: () => number | undefined
  readonly wants: Wants
}

export interface PeopleParts {
  readonly host: ModelHost
  readonly moves: Moves
  readonly platform: ModelPlatform
  readonly shops: readonly Shop[]
  readonly day: Day
  readonly nowMs: () => number
  /** A buyer is about to pay. @returns Called with whether the platform took the money. */
  readonly onPaying: (transaction: TransactionRow) => (isPaid: boolean) => void
}

/** How often a look at the listings makes somebody want something, by the phase of the day. */
const wantRates: Readonly<Partial<Record<Day['phase'], number>>> = { open: 1, wave: 1, dawn: 0.1 }
/** Between two looks. In some worlds the orders of an item overlap. */
const lookMs = [
  { min: 200, max: 5_000 },
  { min: 50, max: 1_500 },
]
/** How many of the newest listings people look at. */
const listingsShown = 20

type Move = 'pay' | 'cancel' | 'dispute' | 'refund' | 'reject-dispute'

/** What people do about a transaction, and how likely each time that they look. */
type Moves = Readonly<Partial<Record<TransactionPhase, readonly (readonly [move: Move, rate: number])[]>>>

/** Most people wait for their items, because the end of a dispute hides an order that is stranded. */
const patientMoves: Moves = {
  'awaiting-payment': [
    ['pay', 0.5],
    ['cancel', 0.05],
  ],
  delivered: [['dispute', 0.05]],
  disputed: [
    ['refund', 0.015],
    ['reject-dispute', 0.015],
  ],
}
/** Some complain before they have their items. */
const impatientMoves: Moves = { ...patientMoves, 'awaiting-server': [['dispute', 0.01]] }
/** Many orders end while they are handed over. */
const hastyMoves: Moves = {
  ...patientMoves,
  'awaiting-server': [['dispute', 0.05]],
  disputed: [
    ['refund', 0.2],
    ['reject-dispute', 0.05],
  ],
}

/** What the people of one world do. */
export function drawMoves(random: Random): Moves {
  return random.pick([patientMoves, patientMoves, impatientMoves, hastyMoves])
}

/** Buyers, who want items, pay, cancel and dispute, and the staff, who decide. They work on the platform's own pages. */
export function installPeople({ host, moves, platform, shops, day, nowMs, onPaying }: PeopleParts): Program {
  let wants = 0
  let lastId = 0
  /** Purchases that are not over. */
  const openIds = new Set<number>()

  function wantSomething(random: Random): void {
    const shop = random.pick(shops)
    const listings = platform.composed.platform.tables.listings.newest(listingsShown)
    const offered = listings.filter(
      ({ gameServerId, status }) => gameServerId === shop.gameServerId() && status === 'ACTIVE',
    )
    if (offered.length === 0) return
    const { itemRef } = random.pick(offered)
    const id = `buy-${++wants}`
    shop.wants.add({ id, itemRef, quantity: random.integer(1, 2), buyerCharacterRef: id, sinceMs: nowMs() })
  }

  function decideAbout(transaction: TransactionRow, random: Random): void {
    const composed = platform.composed.platform
    const isClosing = day.phase === 'closing' || day.phase === 'closed'
    for (const [move, rate] of moves[phaseOfRow(transaction)] ?? []) {
      // A dispute would hide an order that is stranded.
      if ((isClosing && move === 'dispute') || !random.happens(rate)) continue
      const onPaid = move === 'pay' ? onPaying(transaction) : undefined
      const moved = composed.transact(() => moveByHand(composed, transaction.id, move))
      onPaid?.(!(moved instanceof Refusal))
      return
    }
  }

  function lookAtPurchases(random: Random): void {
    const { transactions } = platform.composed.platform.tables
    while (transactions.byId(lastId + 1)) openIds.add(++lastId)
    for (const id of openIds) {
      const transaction = transactions.byId(id)
      if (!transaction || transactionPhases[phaseOfRow(transaction)].outcome !== null) openIds.delete(id)
      else decideAbout(transaction, random)
    }
  }

  return host.install('people', (process) => {
    const clock = clockOver(process.time)
    const { random } = process
    const { min, max } = random.pick(lookMs)
    const live = async () => {
      for (;;) {
        await clock.sleep(random.magnitude(min, max))
        if (!platform.program.process) continue
        if (random.happens(wantRates[day.phase] ?? 0)) wantSomething(random)
        lookAtPurchases(random)
      }
    }
    void live()
  })
}
