import { expect, test } from 'vitest'
import { inDoubt } from '../../../agent/call/answer.ts'
import { keyOfItem, readCall } from '../../../agent/call/call.ts'
import { KeyQueues } from '../../../agent/call/key-queues.ts'
import { StoreFullError } from '../../../agent/database/store-errors.ts'
import { callPipeline, memoryJournal } from '../fixtures/call-pipeline.ts'
import { TestClock } from '../fixtures/test-clock.ts'

// A former agent claimed the request and may have sent it. It stores nothing about an idempotent call before that.

const stock = ['market.adjust-stock', { itemRef: 'sword', observedQuantity: 1 }, 'a', 'here'] as const
const unsent = async () => expect.unreachable()

test('a recovered request that cannot be sent again because the disk is full is in doubt', async () => {
  const recordIntent = () => Promise.reject(new StoreFullError('ENOSPC', new Error('no space')))
  const { call } = callPipeline(unsent, { journal: memoryJournal({ recordIntent }) })
  expect(await call(...stock)).toEqual(inDoubt)
})

test('a recovered request whose turn does not come by its deadline is in doubt', async () => {
  const clock = new TestClock()
  const turns = new KeyQueues(clock)
  const { call } = callPipeline(unsent, { turns }, clock)
  turns.take(keyOfItem('sword'), 'join-now')
  const answer = call(...stock)
  await clock.timers(1)
  clock.advance(31_000)
  expect(await answer).toEqual(inDoubt)
})

test('a recovered request whose id was used for another call meanwhile is in doubt', async () => {
  const other = { fingerprint: 'of another call', answer: inDoubt }
  const { call: recovered } = callPipeline(unsent, { journal: memoryJournal({ findUnanswered: async () => other }) })
  expect(await recovered(...stock)).toEqual(inDoubt)
  expect(
    await recovered('transaction.create', { itemRef: 'x', quantity: 1, buyerCharacterRef: 'b' }, 'a', 'here'),
  ).toEqual(inDoubt)
})

test('a recovered purchase that the journal may have forgotten is in doubt, and one that it knows has its answer', async () => {
  const { call } = callPipeline(unsent)
  expect(await call(...purchase, 'a', 'long-ago')).toEqual(inDoubt)
  const { call: recovered } = callPipeline(unsent, { journal: journalOfEnded() })
  expect(await recovered(...purchase, 'a', 'long-ago')).toEqual(made)
})

test('the window of a recovered purchase begins with its answer', async () => {
  const { call } = callPipeline(unsent, { journal: journalOfEnded() })
  expect(await call(...purchase, 'a', 'here')).toEqual(made)
  expect(await call(...purchase, 'a')).toEqual({ ...made, replayed: true })
})

const purchase = ['transaction.create', { itemRef: 'sword', quantity: 1, buyerCharacterRef: 'Ana' }] as const
const made = { ok: true, dataText: '{}' } as const

/** A journal in which the window of the purchase is over. */
function journalOfEnded() {
  const reading = readCall({ operation: purchase[0], input: purchase[1], id: 'a' })
  const fingerprint = String(reading.ok && reading.call.fingerprint)
  const journal = memoryJournal({
    findUnanswered: async () => ({ fingerprint, answer: made }),
    restartWindow: (id, answer) => journal.recordAnswer({ id, fingerprint, operationName: purchase[0] }, answer, 1),
  })
  return journal
}
