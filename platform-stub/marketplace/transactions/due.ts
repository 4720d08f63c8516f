import type { DueWork } from '../../clock/schedule.ts'
import type { Platform } from '../platform.ts'
import { Refusal } from '../refusal.ts'
import { moveTransaction } from './apply.ts'

/** Moves that time makes in one turn of the event loop, some 5 ms: requests are answered between them. */
const dueMovesPerTurnMax = 100

/** The moves that time makes, for the schedule. */
export function dueMoves(platform: Platform): DueWork {
  const nextMs = (): number | null => platform.tables.transactions.firstDue()?.dueAt ?? null
  return {
    nextMs,
    run() {
      const firstMs = nextMs()
      if (firstMs === null || firstMs > platform.clock.nowMs()) return true
      return !(platform.transact(() => makeDueMoves(platform, dueMovesPerTurnMax)) instanceof Refusal)
    },
  }
}

/**
 * Makes the moves whose time has come, in order, each at its own moment: an expiry, a refund, a completion that came
 * due while the stub was down happens at the time at which it was due. Inside a transaction.
 *
 * @param countMax What is due beyond it is left.
 */
export function makeDueMoves(platform: Platform, countMax = Number.POSITIVE_INFINITY): void {
  const { transactions } = platform.tables
  for (let count = 0; count < countMax; count++) {
    const due = transactions.firstDue()
    if (!due || due.dueAt > platform.clock.nowMs()) return
    const { transactionId, trigger, dueAt } = due
    transactions.clearDue(transactionId, trigger)
    const transaction = transactions.byId(transactionId)
    const moved = transaction && moveTransaction(platform, transaction, { trigger, at: dueAt })
    // Our own mistake: it must not keep the later moves from being made.
    if (moved instanceof Refusal) platform.log.error({ err: moved, transactionId, trigger }, 'due move refused')
  }
}
