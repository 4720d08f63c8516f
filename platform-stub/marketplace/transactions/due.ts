import type { DueMoveRow } from '../../store/transaction-rows.ts'
import type { Platform } from '../platform.ts'
import { Refusal } from '../refusal.ts'
import { moveTransaction } from './apply.ts'

/** Moves made in one database transaction; more are made in the next. */
const batchMax = 100

/** When the first move that time makes is due, Unix ms; null where none is. */
export function firstDueMoveMs({ tables }: Platform): number | null {
  return tables.transactions.firstDue()?.dueAt ?? null
}

/**
 * Makes the moves whose time has come, in order, each at its own moment: an expiry, a refund, a completion that came
 * due while the stub was down happens at the time at which it was due.
 */
export async function makeDueMoves(platform: Platform): Promise<void> {
  while (await platform.transact(() => makeBatch(platform)));
}

/** The same inside a transaction that is under way. */
export function makeDueMovesNow(platform: Platform): void {
  while (makeBatch(platform));
}

/** @returns Whether there may be more. */
function makeBatch(platform: Platform): boolean {
  const { transactions } = platform.tables
  for (let made = 0; made < batchMax; made++) {
    const due = transactions.firstDue()
    if (!due || due.dueAt > platform.clock.nowMs()) return false
    transactions.clearDue(due.transactionId, due.trigger)
    moveOrSay(platform, due)
  }
  return true
}

/** A due move that has no place is our own mistake; it must not keep every later one from being made. */
function moveOrSay(platform: Platform, { transactionId, trigger, dueAt }: DueMoveRow): void {
  const transaction = platform.tables.transactions.byId(transactionId)
  try {
    if (transaction) moveTransaction(platform, transaction, { trigger, at: dueAt })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    platform.log.error({ err: error, transactionId, trigger }, 'due move refused')
  }
}
