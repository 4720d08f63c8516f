import type { TransactionTrigger } from '../../../contract/transaction.ts'

/** What the buyer, time or the staff would do: the last segment of the path. `pay` does the checkout's check as well. */
export const transactionActs = [
  'pay',
  'cancel',
  'expire',
  'dispute',
  'reject-dispute',
  'refund',
] as const satisfies readonly TransactionTrigger[]
