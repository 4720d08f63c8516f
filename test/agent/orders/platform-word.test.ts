import { expect, test } from 'vitest'
import { refuse } from '../../../agent/call/answer.ts'
import { newOrder, type Order } from '../../../agent/orders/order.ts'
import { closeAsked } from '../../../agent/orders/order-changes.ts'
import { retryAtMsOf } from '../../../agent/orders/order-reports.ts'
import { isRefused, judgeOrder, type Verdict, wordOf } from '../../../agent/orders/platform-word.ts'
import { type OrderResult, orderResults } from '../../../contract/order-reply.ts'
import { type TransactionPhase, transactionMoves, transactionPhases } from '../../../contract/transaction.ts'
import { order as paid } from '../fixtures/events.ts'

const phases = Object.keys(transactionPhases) as TransactionPhase[]
const trigger = { DELIVERED: 'deliver', OUT_OF_STOCK: 'fail-out-of-stock', TEMPORARY: 'fail-temporary' } as const
const refusal = (status: number) => ({ ok: false, messageText: '"não"', status, uncertain: false }) as const
const reporting = (result: OrderResult): Order => ({ ...newOrder(paid, '{}', 1), phase: 'reporting', result })
const verdictIn = (phase: TransactionPhase): Verdict => judgeOrder({ kind: 'shown', phase, fields: {} }, paid)

/** What the platform's phase makes of an order whose result is reported. */
function endOf(result: OrderResult, phase: TransactionPhase) {
  const verdict = verdictIn(phase)
  if (verdict.kind !== 'over') return undefined
  const known = reporting(result)
  return closeAsked(known, verdict)(known, 2)
}

test('no report is given up while the platform can still accept it, and none is repeated once it never can', () => {
  for (const result of orderResults)
    for (const phase of phases) {
      const isWaitedFor = ['awaiting-payment', 'awaiting-server', 'disputed'].includes(phase)
      const isAccepted = result !== 'TEMPORARY' && trigger[result] in transactionMoves[phase]
      const end = endOf(result, phase)
      expect(end?.order?.phase, `${result} ${phase}`).toBe(isWaitedFor ? undefined : 'closed')
      if (!isWaitedFor) expect(end?.order?.reported, `${result} ${phase}`).toBe(isAccepted ? result : null)
    }
})

test('staff is told what to do where the item and the money are on the same side', () => {
  for (const phase of ['refunded-after-dispute', 'refunded-after-failure', 'cancelled', 'expired'] as const) {
    expect(endOf('DELIVERED', phase)?.cure).toMatch(/take the item back/)
    expect(endOf('OUT_OF_STOCK', phase)?.cure).toBeUndefined()
  }
  for (const phase of ['delivered', 'completed'] as const) {
    expect(endOf('OUT_OF_STOCK', phase)?.cure).toMatch(/check whether/)
    expect(endOf('DELIVERED', phase)?.cure).toBeUndefined()
  }
})

test('only the platform ends a report: what an intermediary answers, and what is not known, is tried again', () => {
  expect(isRefused({ ...refuse('NO_REASON_GIVEN', { status: 404 }), status: 404 })).toBe(false)
  expect(isRefused(refuse('NOT_REACHED', { hadTime: true }))).toBe(false)
  expect(isRefused({ ...refusal(409), uncertain: true })).toBe(false)
  for (const status of [401, 408, 429, 500, 503]) expect(isRefused(refusal(status))).toBe(false)
  for (const status of [400, 403, 404, 409, 422]) expect(isRefused(refusal(status))).toBe(true)
  expect(wordOf({ ...refuse('NO_REASON_GIVEN', { status: 404 }), status: 404 })).toEqual({ kind: 'unanswered' })
  expect(wordOf(refusal(404))).toEqual({ kind: 'unknown' })
})

test('an order is handed over only if no field that the platform shows contradicts it', () => {
  const judge = (fields: Record<string, unknown>) =>
    judgeOrder({ kind: 'shown', phase: 'awaiting-server', fields }, paid)
  expect(judge({})).toEqual({ kind: 'awaited' })
  expect(judge({ itemRef: paid.itemRef, quantity: paid.quantity, buyerCharacterRef: null })).toEqual({
    kind: 'awaited',
  })
  for (const field of ['itemRef', 'quantity', 'buyerCharacterRef'])
    expect(judge({ [field]: 'other' })).toEqual({ kind: 'contradicted', field })
})

test('a put-off order comes back at the retryAt of the answer, where it says one', () => {
  const waiting = {
    transactionId: 17,
    paymentStatus: 'PAGO',
    deliveryStatus: 'AGUARDANDO_SERVIDOR',
    refundStarted: false,
  }
  const until = (answer: object) => retryAtMsOf(JSON.stringify({ ...waiting, ...answer }))
  expect(until({ retryAt: '2026-11-21T13:00:00.000Z' })).toBe(Date.parse('2026-11-21T13:00:00.000Z'))
  expect([until({ retryAt: null }), until({}), until({ retryAt: 'amanhã' })]).toEqual([null, null, null])
})
