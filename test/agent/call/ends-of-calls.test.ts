import { expect, test, vi } from 'vitest'
import { StoreFullError } from '../../../agent/database/store-errors.ts'
import { answeredWith, callPipeline, memoryJournal } from '../fixtures/call-pipeline.ts'
import { goodBodies, goodInputs } from '../fixtures/test-agent.ts'

const answered = (name: keyof typeof goodBodies) => async () => answeredWith(200, goodBodies[name] ?? '')
const refused = async () => answeredWith(401, '{"message":"Não."}')
const bug = async () => {
  throw new Error('a bug')
}
const full = async () => {
  throw new StoreFullError('ENOSPC', undefined)
}

test.each([
  ['a once call that acted', 'transaction.create', answered('transaction.create'), {}, 'recordAnswer'],
  ['a once call that was refused for now', 'transaction.create', refused, {}, 'release'],
  ['a once call without room for its intent', 'transaction.create', bug, { recordIntent: full }, 'release'],
  ['an idempotent call that acted', 'market.adjust-stock', answered('market.adjust-stock'), {}, 'recordAnswer'],
  ['an idempotent call in doubt', 'market.adjust-stock', bug, {}, 'release'],
  ['a read that failed', 'market.eligibility', bug, {}, 'release'],
] as const)('the journal hears once that %s is over', async (_, name, attempt, overrides, end) => {
  const [recordAnswer, release] = [vi.fn(async () => undefined), vi.fn(async () => undefined)]
  const { call } = callPipeline(attempt, { journal: memoryJournal({ ...overrides, recordAnswer, release }) })
  await call(name, goodInputs[name], 'a-1')
  const ended = { recordAnswer: recordAnswer.mock.calls.length, release: release.mock.calls.length }
  expect(ended).toEqual({ recordAnswer: 0, release: 0, [end]: 1 })
})
