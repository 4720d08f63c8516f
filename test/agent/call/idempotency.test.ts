import { expect, test, vi } from 'vitest'
import { answeredWith, callPipeline } from '../fixtures/call-pipeline.ts'
import { ScriptedPlatform } from '../fixtures/scripted-platform.ts'
import { goodBodies, goodInputs, replayOf, startTestAgent } from '../fixtures/test-agent.ts'

const create = goodInputs['transaction.create']
const created = { status: 200, body: goodBodies['transaction.create'] ?? '' }
const body = (id: string, input: unknown = create, operation = 'transaction.create') =>
  JSON.stringify({ id, operation, input })
const windowMs = 600_000

test('a repeated id is answered without contacting the platform, byte for byte except the mark', async () => {
  await using platform = await ScriptedPlatform.start([
    { status: 200, body: '{"data": {"checkoutUrl":"https:\\/\\/x/1", "n": 1.50, "big": 9007199254740993}}' },
  ])
  await using agent = await startTestAgent(platform.url)
  const first = await agent.callText(body('buy-1'))
  const second = await agent.callText(body('buy-1'))
  expect(second.text).toBe(replayOf(first.text))
  expect((await agent.callText(body('buy-1'))).text).toBe(second.text)
  expect(first.text).toBe(
    '{"ok":true,"id":"buy-1","data":{"checkoutUrl":"https:\\/\\/x/1", "n": 1.50, "big": 9007199254740993}}',
  )
  expect(platform.seen).toHaveLength(1)
})

test('the order of names in the input makes no other call', async () => {
  await using platform = await ScriptedPlatform.start([created])
  await using agent = await startTestAgent(platform.url)
  const first = await agent.callText(
    '{"id":"a","operation":"transaction.create","input":{"itemRef":"i","quantity":1,"buyerCharacterRef":"c"}}',
  )
  const second = await agent.callText(
    '{"input":{"buyerCharacterRef":"c","quantity":1,"itemRef":"i"},"operation":"transaction.create","id":"a"}',
  )
  expect(second.text).toBe(replayOf(first.text))
  expect(platform.seen).toHaveLength(1)
})

test('equal ids under way share one call, and none of their answers is a replay', async () => {
  const attempt = vi.fn(async () => answeredWith(200, goodBodies['transaction.create'] ?? ''))
  const { call } = callPipeline(attempt)
  const answers = await Promise.all([1, 2, 3].map(() => call('transaction.create', create, 'buy-1')))
  expect(answers).toEqual(answers.map(() => ({ ok: true, dataText: expect.stringContaining('checkoutUrl') })))
  expect(attempt).toHaveBeenCalledTimes(1)
})

test('callers that ask with one id at the same time get one call', async () => {
  await using platform = await ScriptedPlatform.start([created])
  await using agent = await startTestAgent(platform.url)
  const answers = await Promise.all(Array.from({ length: 20 }, () => agent.call('transaction.create', create, 'buy-1')))
  for (const answer of answers) expect(answer).toMatchObject({ ok: true, data: { transactionId: 42 } })
  expect(platform.seen).toHaveLength(1)
})

test('an id of another call is refused with 422, after the call and while it is under way', async () => {
  await using platform = await ScriptedPlatform.start([{ fault: 'silence' }])
  await using agent = await startTestAgent(platform.url)
  const underWay = agent.callText(body('buy-1'))
  await platform.requests(1)
  const other = { ...create, quantity: 2 }
  const refusal = { ok: false, id: 'buy-1', message: expect.stringContaining('id'), status: 422, code: 'ID_REUSED' }
  expect(JSON.parse((await agent.callText(body('buy-1', other))).text)).toEqual(refusal)
  agent.clock.advance(10_000)
  await underWay
  expect(JSON.parse((await agent.callText(body('buy-1', other))).text)).toEqual(refusal)
  expect(JSON.parse((await agent.callText(body('buy-1', { transactionId: 1 }, 'transaction.get'))).text)).toEqual(
    refusal,
  )
  expect(platform.seen).toHaveLength(1)
})

test('calls without an id are all made', async () => {
  await using platform = await ScriptedPlatform.start()
  platform.otherwise = created
  await using agent = await startTestAgent(platform.url)
  await agent.call('transaction.create', create)
  await agent.call('transaction.create', create)
  expect(platform.seen).toHaveLength(2)
})

test('an answer is kept for 10 minutes and not longer', async () => {
  await using platform = await ScriptedPlatform.start()
  platform.otherwise = created
  await using agent = await startTestAgent(platform.url)
  await agent.call('transaction.create', create, 'buy-1')
  agent.clock.advance(windowMs)
  await agent.call('transaction.create', create, 'buy-1')
  expect(platform.seen).toHaveLength(1)
  agent.clock.advance(1)
  await agent.call('transaction.create', create, 'buy-1')
  expect(platform.seen).toHaveLength(2)
})

for (const status of [400, 403, 404, 409, 410, 413, 422]) {
  test(`a refusal with ${status} is kept`, async () => {
    await using platform = await ScriptedPlatform.start()
    platform.otherwise = { status, body: '{"message":"Não."}' }
    await using agent = await startTestAgent(platform.url)
    const first = await agent.call('market.register', goodInputs['market.register'], 'r-1')
    expect(await agent.call('market.register', goodInputs['market.register'], 'r-1')).toEqual({
      ...first,
      replayed: true,
    })
    expect(first).toEqual({ ok: false, id: 'r-1', message: 'Não.', status })
    expect(platform.seen).toHaveLength(1)
  })
}

for (const status of [401, 425, 429]) {
  test(`a refusal with ${status} is not kept: the id may be tried again`, async () => {
    await using platform = await ScriptedPlatform.start()
    platform.otherwise = { status, body: '{"message":"Não."}', headers: { 'retry-after': '600' } }
    await using agent = await startTestAgent(platform.url, { callDeadlineMs: 400 })
    await agent.call('transaction.create', create, 'buy-1')
    const before = platform.seen.length
    platform.otherwise = created
    expect(await agent.call('transaction.create', create, 'buy-1')).toMatchObject({ ok: true })
    expect(platform.seen.length).toBe(before + 1)
  })
}

for (const status of [408, 500, 502, 503, 504]) {
  test(`a once call left in doubt by ${status} is never sent again under its id`, async () => {
    await using platform = await ScriptedPlatform.start([{ status, body: '{"message":"Erro."}' }])
    platform.otherwise = created
    await using agent = await startTestAgent(platform.url)
    const first = await agent.call('transaction.create', create, 'buy-1')
    expect(first).toEqual({ ok: false, id: 'buy-1', message: 'Erro.', status, uncertain: true })
    expect(await agent.call('transaction.create', create, 'buy-1')).toEqual({ ...first, replayed: true })
    expect(platform.seen).toHaveLength(1)
  })

  test(`an idempotent call left in doubt by ${status} runs again under its id`, async () => {
    await using platform = await ScriptedPlatform.start()
    platform.otherwise = { status, body: '{"message":"Erro."}' }
    await using agent = await startTestAgent(platform.url)
    const adjust = goodInputs['market.adjust-stock']
    expect(await agent.call('market.adjust-stock', adjust, 'a-1')).toMatchObject({ ok: false, uncertain: true })
    agent.clock.advance(43_000)
    platform.otherwise = { status: 200 }
    expect(await agent.call('market.adjust-stock', adjust, 'a-1')).toMatchObject({ ok: true })
  })
}

test('a TEMPORARY report is repeated under its id until its order comes again, and then it is made again', async () => {
  await using platform = await ScriptedPlatform.start()
  await using agent = await startTestAgent(platform.url)
  const report = goodInputs['transaction.delivery-failure']
  const answered = (retryInMs: number) => ({
    status: 200,
    headers: { date: new Date(agent.clock.wallMs()).toUTCString() },
    body: (goodBodies['transaction.delivery-failure'] ?? '').replace(
      '2026-11-21T12:00:00.000Z',
      new Date(agent.clock.wallMs() + retryInMs).toISOString(),
    ),
  })
  platform.otherwise = answered(15_000)
  const first = await agent.call('transaction.delivery-failure', report, 't-1')
  agent.clock.advance(5_000)
  expect(await agent.call('transaction.delivery-failure', report, 't-1')).toEqual({ ...first, replayed: true })
  expect(platform.seen).toHaveLength(1)
  agent.clock.advance(10_000)
  platform.otherwise = answered(15_000)
  const second = await agent.call('transaction.delivery-failure', report, 't-1')
  expect(second).toMatchObject({ ok: true })
  expect(second).not.toMatchObject({ replayed: true })
  expect(platform.seen).toHaveLength(2)
})

test("a TEMPORARY report is made again when the platform's clock has passed its retryAt, travelled or not", async () => {
  await using platform = await ScriptedPlatform.start()
  await using agent = await startTestAgent(platform.url)
  const dateIn = (ms: number) => ({ date: new Date(agent.clock.wallMs() + ms).toUTCString() })
  const retryAt = new Date(agent.clock.wallMs() + 60_000).toISOString()
  const text = (goodBodies['transaction.delivery-failure'] ?? '').replace('2026-11-21T12:00:00.000Z', retryAt)
  const report = goodInputs['transaction.delivery-failure']
  platform.otherwise = { status: 200, headers: dateIn(0), body: text }
  await agent.call('transaction.delivery-failure', report, 't-1')
  platform.otherwise = { status: 200, headers: dateIn(60_000), body: goodBodies['market.eligibility'] ?? '' }
  await agent.call('market.eligibility', goodInputs['market.eligibility'])
  platform.otherwise = { status: 200, headers: dateIn(60_000), body: text }
  expect(await agent.call('transaction.delivery-failure', report, 't-1')).not.toHaveProperty('replayed')
  expect(platform.seen).toHaveLength(3)
})

test('an OUT_OF_STOCK report is kept for the whole window', async () => {
  await using platform = await ScriptedPlatform.start()
  const { transactionId } = goodInputs['transaction.delivery-failure'] ?? {}
  const data = { transactionId, paymentStatus: 'PAGO', deliveryStatus: 'FALHOU', refundStarted: true, retryAt: null }
  platform.otherwise = { status: 200, body: JSON.stringify({ data }) }
  await using agent = await startTestAgent(platform.url)
  const report = { transactionId, reason: 'OUT_OF_STOCK', observedQuantity: 0 }
  await agent.call('transaction.delivery-failure', report, 'o-1')
  agent.clock.advance(windowMs)
  expect(await agent.call('transaction.delivery-failure', report, 'o-1')).toMatchObject({ ok: true, replayed: true })
  expect(platform.seen).toHaveLength(1)
})

test('an object and a list that hold the same are two different calls', async () => {
  await using platform = await ScriptedPlatform.start()
  platform.otherwise = created
  await using agent = await startTestAgent(platform.url)
  expect(await agent.call('transaction.create', { ...create, extra: { b: 1 } }, 'buy-1')).toMatchObject({ ok: true })
  expect(await agent.call('transaction.create', { ...create, extra: [['b', 1]] }, 'buy-1')).toMatchObject({
    status: 422,
  })
})

test('an unreachable platform is not kept: the id is sent as soon as it is back', async () => {
  await using platform = await ScriptedPlatform.start()
  platform.otherwise = created
  await platform.stop()
  await using agent = await startTestAgent(platform.url)
  expect(await agent.call('transaction.create', create, 'buy-1')).toMatchObject({ ok: false, status: 503 })
  await platform.listen()
  expect(await agent.call('transaction.create', create, 'buy-1')).toMatchObject({ ok: true })
})

test("the agent's own refusal of an input is not kept: the mended call may use the id", async () => {
  await using platform = await ScriptedPlatform.start([created])
  await using agent = await startTestAgent(platform.url)
  expect(await agent.call('transaction.create', {}, 'buy-1')).toMatchObject({ ok: false, status: 400 })
  expect(await agent.call('transaction.create', create, 'buy-1')).toMatchObject({ ok: true })
})

test('an envelope is given again only while it lives', async () => {
  await using platform = await ScriptedPlatform.start()
  await using agent = await startTestAgent(platform.url)
  const first = await agent.call('transaction.create.envelope', create, 'e-1')
  agent.clock.advance(299_000)
  expect(await agent.call('transaction.create.envelope', create, 'e-1')).toEqual({ ...first, replayed: true })
  agent.clock.advance(1_001)
  expect(await agent.call('transaction.create.envelope', create, 'e-1')).not.toEqual(first)
  expect(platform.seen).toHaveLength(0)
})
