import { expect, test, vi } from 'vitest'
import { answerText } from '../../../agent/call/answer.ts'
import { answeredWith, callPipeline, memoryJournal } from '../fixtures/call-pipeline.ts'
import { goodBodies, goodInputs, replayOf } from '../fixtures/test-agent.ts'

const create = ['transaction.create', goodInputs['transaction.create'], 'buy-1'] as const
const adjust = ['market.adjust-stock', goodInputs['market.adjust-stock'], 'a-1'] as const
const ask = ['market.eligibility', goodInputs['market.eligibility'], 'e-1'] as const
const bug = async () => {
  throw new Error('a bug')
}

test('an internal error while a once call is sent gives its id one answer, uncertain, and never sends it again', async () => {
  const attempt = vi.fn(bug)
  const onError = vi.fn()
  const { call } = callPipeline(attempt, { onError })
  const [first, shared] = await Promise.all([call(...create), call(...create)])
  expect(first).toMatchObject({ ok: false, status: 500, uncertain: true })
  expect(shared).toEqual(first)
  expect(answerText('buy-1', await call(...create))).toBe(replayOf(answerText('buy-1', first)))
  expect(attempt).toHaveBeenCalledTimes(1)
  expect(onError).toHaveBeenCalledTimes(1)
})

test('an internal error while an idempotent call is sent is uncertain for all that share it, and the id runs again', async () => {
  const attempt = vi.fn(bug)
  const { call } = callPipeline(attempt)
  const answers = await Promise.all([call(...adjust), call(...adjust)])
  for (const answer of answers) expect(answer).toMatchObject({ status: 500, uncertain: true })
  await call(...adjust)
  expect(attempt).toHaveBeenCalledTimes(2)
})

test('an internal error before anything was sent is not uncertain', async () => {
  const attempt = vi.fn(bug)
  for (const overrides of [{ claim: bug }, { recordIntent: bug }]) {
    const { call } = callPipeline(attempt, { journal: memoryJournal(overrides) })
    expect(await call(...create)).toMatchObject({ ok: false, status: 500, uncertain: false })
  }
  expect(attempt).not.toHaveBeenCalled()
})

test('an internal error of a read is not uncertain', async () => {
  const { call } = callPipeline(bug)
  expect(await call(...ask)).toMatchObject({ ok: false, status: 500, uncertain: false })
})

test('a once call whose answer cannot be stored is answered as its intent will be: in doubt', async () => {
  const attempt = async () => answeredWith(200, goodBodies['transaction.create'] ?? '')
  const onError = vi.fn()
  const { call } = callPipeline(attempt, { journal: memoryJournal({ recordAnswer: bug }), onError })
  const first = await call(...create)
  expect(first).toMatchObject({ ok: false, status: 504, uncertain: true })
  expect(await call(...create)).toEqual({ ...first, replayed: true })
  expect(onError).toHaveBeenCalledTimes(1)
})
