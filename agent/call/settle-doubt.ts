import { limits } from '../../contract/limits.ts'
import { operations } from '../../contract/operations.ts'
import { readStrictJson } from '../../contract/strict-json.ts'
import { phaseOf } from '../../contract/transaction.ts'
import type { CallAnswer, CallSuccess } from './answer.ts'
import type { PlatformCall } from './call.ts'
import { type SendDeps, sendWithRetries } from './send-with-retries.ts'
import type { CallTrace } from './trace.ts'

/**
 * A delivery or a failure report was refused after an attempt that nobody answered. That attempt may be why: the
 * platform took it, and refuses the second. So the transaction itself is asked, and what is true is answered.
 *
 * @returns The success that the first attempt had, where the transaction shows it; else the refusal, still uncertain.
 */
export async function settleDoubt(
  call: PlatformCall,
  refused: CallAnswer,
  deadlineMs: number,
  deps: SendDeps,
  trace: CallTrace,
): Promise<CallAnswer> {
  const proof = proofs[call.operationName]
  const hasTime = deadlineMs - deps.clock.monotonicMs() >= limits.attemptTimeoutMsMin
  if (!proof || !hasTime) return refused
  const question: PlatformCall = {
    id: undefined,
    operationName: 'transaction.get',
    operation: operations['transaction.get'],
    input: { transactionId: call.input['transactionId'] },
  }
  const { answer } = await sendWithRetries(question, deadlineMs, deps, trace)
  const reading = answer.ok ? readStrictJson(answer.dataText, { numbers: 'any' }) : undefined
  return (reading?.ok && proof(reading.object.value, call)) || refused
}

type Transaction = Readonly<Record<string, unknown>>

/** For each operation: what a transaction must show for the operation to have been done, as its own answer. */
const proofs: Readonly<Record<string, (transaction: Transaction, call: PlatformCall) => CallSuccess | undefined>> = {
  'transaction.delivery': (transaction, call) => {
    const isDelivered = transaction['paymentStatus'] === 'PAGO' && transaction['deliveryStatus'] === 'ENTREGUE'
    return isDelivered ? shown(call, transaction, { deliveredAt: transaction['deliveredAt'] ?? null }) : undefined
  },
  'transaction.delivery-failure': (transaction, call) => {
    const { paymentStatus, deliveryStatus } = transaction as { paymentStatus: string; deliveryStatus: string | null }
    const phase = phaseOf({ paymentStatus, deliveryStatus })
    const isFailed = phase === 'failed' || phase === 'refunded-after-failure'
    if (call.input['reason'] !== 'OUT_OF_STOCK' || !isFailed) return undefined
    return shown(call, transaction, { refundStarted: true, retryAt: null })
  },
}

function shown(call: PlatformCall, transaction: Transaction, rest: Readonly<Record<string, unknown>>): CallSuccess {
  const { paymentStatus, deliveryStatus } = transaction
  const data = { transactionId: call.input['transactionId'], paymentStatus, deliveryStatus, ...rest }
  return { ok: true, dataText: JSON.stringify(data) }
}
