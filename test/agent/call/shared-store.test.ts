import { expect, test, vi } from 'vitest'
import { inDoubt } from '../../../agent/call/answer.ts'
import type { CallTrace } from '../../../agent/call/trace.ts'
import { freeTurn } from '../../../agent/call/turn.ts'
import { StoreFullError, StoreUnreachableError } from '../../../agent/database/store-errors.ts'
import type { PartnerApi } from '../../../agent/platform/partner-api.ts'
import { answeredWith, callPipeline, memoryJournal } from '../fixtures/call-pipeline.ts'
import { goodBodies, goodInputs } from '../fixtures/test-agent.ts'

const away = async (): Promise<never> => {
  throw new StoreUnreachableError('the connection ended')
}
const create = ['transaction.create', goodInputs['transaction.create']] as const
const adjust = ['market.adjust-stock', goodInputs['market.adjust-stock']] as const
const bodyOf = (name: keyof typeof goodBodies) => answeredWith(200, goodBodies[name] ?? '')
const unreachable = { ok: false, status: 503, code: 'STORE_UNREACHABLE', uncertain: false }

test.each([
  ['an id cannot be claimed', { journal: memoryJournal({ claim: away }) }],
  ['an intent cannot be stored', { journal: memoryJournal({ recordIntent: away, release: away }) }],
  ['a turn cannot be taken', { turns: { waiting: 0, take: () => ({ ...freeTurn, wait: away }) } }],
])('where %s because the store is away, nothing is sent and no bug is reported', async (_, parts) => {
  const attempt = vi.fn(async () => bodyOf('market.adjust-stock'))
  const onError = vi.fn()
  const traces: CallTrace[] = []
  const { call } = callPipeline(attempt, {
    onError,
    onDone: (_call, _answer, trace) => void traces.push(trace),
    ...parts,
  })
  expect(await call(...adjust, 'a')).toMatchObject(unreachable)
  expect(traces).toMatchObject([{ fault: 'store-unreachable', cause: 'the connection ended' }])
  expect(attempt).not.toHaveBeenCalled()
  expect(onError).not.toHaveBeenCalled()
})

test('a once call whose id cannot be looked up is in doubt, because an equal one may have been sent before', async () => {
  const { call } = callPipeline(() => expect.unreachable(), { journal: memoryJournal({ claim: away }) })
  const messageText = expect.stringContaining('uma anterior com este id pode ter sido')
  expect(await call(...create, 'a')).toMatchObject({ ...unreachable, uncertain: true, messageText })
})

test('a once call that claimed its id and was not sent is certainly refused', async () => {
  const parts = { journal: memoryJournal({ recordIntent: away, release: away }) }
  const { call } = callPipeline(() => expect.unreachable(), parts)
  expect(await call(...create, 'a')).toMatchObject(unreachable)
})

test('a request that a former agent claimed and may have sent is in doubt while the store is away', async () => {
  const { call } = callPipeline(() => expect.unreachable(), { journal: memoryJournal({ findUnanswered: away }) })
  expect(await call(...create, 'a', 'here')).toMatchObject({ ...unreachable, uncertain: true })
  expect(await call(...adjust, 'a', 'here')).toEqual(inDoubt)
})

test('a call with neither id nor key is sent while the store is away', async () => {
  const { call } = callPipeline(async () => bodyOf('market.eligibility'), { journal: memoryJournal({ claim: away }) })
  expect(await call('market.eligibility', goodInputs['market.eligibility'])).toMatchObject({ ok: true })
})

test('an answer that cannot be stored because the store is away is in doubt for a once call only', async () => {
  const onError = vi.fn()
  const lost = { journal: memoryJournal({ recordAnswer: away }), onError }
  const once = callPipeline(async () => bodyOf('transaction.create'), lost)
  expect(await once.call(...create, 'a')).toMatchObject({ code: 'ANSWER_LOST', uncertain: true })
  const idempotent = callPipeline(async () => bodyOf('market.adjust-stock'), lost)
  expect(await idempotent.call(...adjust, 'b')).toMatchObject({ ok: true })
  expect(onError).not.toHaveBeenCalled()
})

test('an envelope that cannot be stored is not given, because its id would get another one', async () => {
  const onError = vi.fn()
  const full = async (): Promise<never> => {
    throw new StoreFullError('ENOSPC', undefined)
  }
  for (const [recordAnswer, code] of [
    [away, 'STORE_UNREACHABLE'],
    [full, 'JOURNAL_FULL'],
  ] as const) {
    const unexpected = () => expect.unreachable()
    const sealEnvelope = async () => ({ ok: true, dataText: '{}' }) as const
    const local = { sealEnvelope, verifyWebhook: unexpected, answerOrders: unexpected }
    const { call } = callPipeline(unexpected, { journal: memoryJournal({ recordAnswer }), local, onError })
    const input = goodInputs['market.register']
    expect(await call('market.register.envelope', input, 'a')).toMatchObject({ ok: false, status: 503, code })
  }
  expect(onError).not.toHaveBeenCalled()
})

test('an equal call of another agent that has not ended by the deadline leaves this one in doubt', async () => {
  let fingerprint = ''
  const claim = async (call: { fingerprint: string }) => {
    fingerprint ||= call.fingerprint
    return { kind: 'under-way', fingerprint } as const
  }
  const { call } = callPipeline(() => expect.unreachable(), { journal: memoryJournal({ claim }) })
  expect(await call(...create, 'a')).toMatchObject({ status: 504, code: 'CALL_UNDER_WAY', uncertain: true })
  expect(await call(...adjust, 'a')).toMatchObject({ status: 422, code: 'ID_REUSED', uncertain: false })
})

test('a call gets its stored answer while a different call with its id is looked up', async () => {
  const journal = memoryJournal()
  const first = await callPipeline(async () => bodyOf('transaction.create'), { journal }).call(...create, 'a')
  const { promise: isFound, resolve: find } = Promise.withResolvers<void>()
  const claim: typeof journal.claim = async (...claimed) => {
    await isFound
    return journal.claim(...claimed)
  }
  const { call } = callPipeline(() => expect.unreachable(), { journal: { ...journal, claim } })
  const [different, equal] = [call(...adjust, 'a'), call(...create, 'a')]
  find()
  expect(await different).toMatchObject({ status: 422, code: 'ID_REUSED' })
  expect(await equal).toEqual({ ...first, replayed: true })
})

test.each([
  ['an answer', () => answeredWith(503, ''), { ok: false }],
  [
    'a refusal that corrects the clock',
    () => ({ ...answeredWith(401, '{"message":"expirado"}'), date: 'Tue, 01 Jan 2030 00:00:00 GMT' }),
    { status: 401 },
  ],
])('after %s no further attempt of a call is sent without a lease', async (_, first, told) => {
  let hasLease = true
  let sent = 0
  const attempt: PartnerApi['attempt'] = async (_operation, _request, _timeoutMs, assertMayBegin) => {
    assertMayBegin?.()
    sent++
    hasLease = false
    return first()
  }
  const { deps } = callPipeline(attempt)
  const { call } = callPipeline(attempt, { sending: { ...deps.sending, mayBegin: () => hasLease } })
  expect(await call(...adjust, 'a')).toMatchObject(told)
  expect(sent).toBe(1)
})

test('a call whose lease ran out while its first attempt was signed is refused as not sent', async () => {
  const attempt = async () => Promise.reject(new StoreUnreachableError('the lease was not renewed in time'))
  const { call } = callPipeline(attempt)
  expect(await call(...adjust, 'a')).toMatchObject(unreachable)
  expect(await call(...create, 'b')).toMatchObject(unreachable)
})
