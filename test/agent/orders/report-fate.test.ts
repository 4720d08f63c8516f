import { expect, test } from 'vitest'
import { refuse } from '../../../agent/call/answer.ts'
import { newOrder } from '../../../agent/orders/order.ts'
import { nextReports, type Reporting, reportDelayMs } from '../../../agent/orders/order-reporter.ts'
import { fateOfAnswer, fateOfRefusal } from '../../../agent/orders/report-fate.ts'
import { orderResults } from '../../../contract/order-reply.ts'
import { type TransactionPhase, transactionMoves, transactionPhases } from '../../../contract/transaction.ts'
import { order as paid } from '../fixtures/events.ts'

const phases = Object.keys(transactionPhases) as TransactionPhase[]
const refusal = (status: number) => ({ ok: false, messageText: '"não"', status, uncertain: false }) as const
const success = (data: object) => ({ ok: true, dataText: JSON.stringify(data) }) as const
const trigger = { DELIVERED: 'deliver', OUT_OF_STOCK: 'fail-out-of-stock', TEMPORARY: 'fail-temporary' } as const

/** What follows from a refusal in each phase. A rejected dispute leads back to where the report is accepted. */
function expectedFate(result: (typeof orderResults)[number], phase: TransactionPhase): string {
  if (phase === 'awaiting-payment' || phase === 'awaiting-server' || phase === 'disputed') return 'again'
  return result !== 'TEMPORARY' && trigger[result] in transactionMoves[phase] ? 'accepted' : 'over'
}

test('no report is given up while the platform can still accept it, and none is repeated once it never can', () => {
  for (const result of orderResults)
    for (const phase of phases)
      expect(fateOfRefusal(result, { kind: 'shown', phase, fields: {} }).kind, `${result} ${phase}`).toBe(
        expectedFate(result, phase),
      )
})

test('staff is told what to do where the item and the money are on the same side', () => {
  for (const phase of ['refunded-after-dispute', 'refunded-after-failure', 'cancelled', 'expired'] as const) {
    expect(fateOfRefusal('DELIVERED', { kind: 'shown', phase, fields: {} })).toMatchObject({
      cure: expect.stringMatching(/take the item back/),
    })
    if (phase !== 'refunded-after-failure')
      expect(fateOfRefusal('OUT_OF_STOCK', { kind: 'shown', phase, fields: {} })).toMatchObject({ cure: undefined })
  }
  expect(fateOfRefusal('OUT_OF_STOCK', { kind: 'shown', phase: 'completed', fields: {} })).toMatchObject({
    cure: expect.stringMatching(/check whether/),
  })
})

test('only the platform ends a report: what an intermediary answers, and what is not known, is tried again', () => {
  for (const result of orderResults) {
    expect(fateOfAnswer(result, { ...refuse('NO_REASON_GIVEN', { status: 404 }), status: 404 })).toEqual({
      kind: 'again',
    })
    expect(fateOfAnswer(result, refuse('NOT_REACHED'))).toEqual({ kind: 'again' })
    expect(fateOfAnswer(result, { ...refusal(409), uncertain: true })).toEqual({ kind: 'again' })
    for (const status of [401, 429, 500, 503]) expect(fateOfAnswer(result, refusal(status))).toEqual({ kind: 'again' })
    for (const status of [400, 409, 422]) expect(fateOfAnswer(result, refusal(status))).toBe('ask')
    for (const status of [403, 404]) expect(fateOfAnswer(result, refusal(status))).toEqual({ kind: 'unknown' })
    expect(fateOfRefusal(result, { kind: 'unanswered' })).toEqual({ kind: 'again' })
    expect(fateOfRefusal(result, { kind: 'unknown' })).toEqual({ kind: 'unknown' })
  }
})

test('an accepted report ends the order, but TEMPORARY puts it off until its retryAt', () => {
  expect(fateOfAnswer('DELIVERED', success({}))).toEqual({ kind: 'accepted' })
  expect(fateOfAnswer('OUT_OF_STOCK', success({}))).toEqual({ kind: 'accepted' })
  const waiting = {
    transactionId: 17,
    paymentStatus: 'PAGO',
    deliveryStatus: 'AGUARDANDO_SERVIDOR',
    refundStarted: false,
  }
  const retryAt = '2026-11-21T13:00:00.000Z'
  const until = (answer: object) => fateOfAnswer('TEMPORARY', success(answer))
  expect(until({ ...waiting, retryAt })).toEqual({ kind: 'put-off', retryAtMs: Date.parse(retryAt) })
  expect(until({ ...waiting, retryAt: null })).toEqual({ kind: 'put-off', retryAtMs: null })
})

test('a report is made again after 1 s, doubling to 5 min, and not before the platform allows it', () => {
  expect([1, 2, 3, 9, 10, 99].map((tries) => reportDelayMs(tries))).toEqual([
    1_000, 2_000, 4_000, 256_000, 300_000, 300_000,
  ])
  expect(reportDelayMs(1, 60_000)).toBe(60_000)
  expect(reportDelayMs(99, 600_000)).toBe(600_000)
})

test('the oldest reports that are due leave first, within the slots', () => {
  const order = newOrder(paid, JSON.stringify(paid), 1_000)
  const due = (atMs: number): Reporting => ({ order, tries: 0, at: 'due', atMs })
  const table: Reporting[] = [{ order, tries: 0, at: 'sending' }, due(5), due(11), due(10), due(1)]
  expect(nextReports(table, 3, 10)).toEqual([due(5), due(10)])
  expect(nextReports(table, 1, 10)).toEqual([])
})
