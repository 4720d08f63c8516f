import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { StubClock } from '../../../platform-stub/clock/clock.ts'
import { manualTime } from '../fixtures/manual-time.ts'
import { temporaryFolder } from '../fixtures/process.ts'
import { answering, startReceiver } from '../fixtures/receiver.ts'
import { send, startStub } from '../fixtures/stub.ts'

test('what is due is done at its moment, by an alarm of at most 30 s, so that a machine that slept is not late', async () => {
  const { time, pass, sleep } = manualTime()
  await using stub = await startStub({ time, settings: { paymentExpiryMs: 3_600_000 } })
  const server = await stub.gameServer()
  const [first, second] = [await server.purchase(), await server.purchase()]
  const phases = () => Promise.all([first, second].map(async (id) => (await stub.transaction(id)).phase))
  for (let passedMs = 0; passedMs < 3_599_000; passedMs += 1_000) pass(1_000)
  pass(999)
  expect(await phases()).toEqual(['awaiting-payment', 'awaiting-payment'])
  pass(1)
  expect(await phases()).toEqual(['expired', 'expired'])

  const third = await server.purchase()
  sleep(3_600_000)
  pass(30_000)
  expect((await stub.transaction(third)).phase).toBe('expired')
})

test('a paused clock does not move and continues from the given moment', () => {
  const { time, pass } = manualTime()
  const clock = new StubClock(time, 500)
  clock.stopAt(42)
  pass(1_000)
  expect([clock.nowMs(), clock.offsetMs]).toEqual([42, 42 - time.nowMs()])
  clock.runFrom(100)
  pass(7)
  expect(clock.nowMs()).toBe(107)
  clock.runWithOffset(0)
  expect(clock.nowMs()).toBe(time.nowMs())
})

test('Date headers, exp and the record follow the travelled clock, on partner and control routes alike', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const early = await server.sealed('market.eligibility', { characterRef: 'c' })
  const target = '2031-05-06T07:08:09.000Z'
  const put = await stub.request('PUT', '/stub/clock', { now: target })
  expect(put.data.travelling).toBe(true)
  expect(Date.parse(put.data.now) - Date.parse(target)).toBeLessThan(1_000)
  expect((await send(early)).status).toBe(401)
  const partner = await server.call('market.eligibility', { characterRef: 'c' })
  expect(partner.status).toBe(200)
  for (const { headers } of [put, partner]) expect(headers.get('date')).toMatch(/^Tue, 06 May 2031 07:08:/)
  const listing = await server.listing()
  expect(listing.data.createdAt).toMatch(/^2031-05-06T07:08:/)

  const back = await stub.request('DELETE', '/stub/clock')
  expect(back.data.travelling).toBe(false)
  expect(Math.abs(Date.parse(back.data.now) - Date.now())).toBeLessThan(2_000)
})

test('everything that is due comes due in order, at its own moment, before the answer', async () => {
  await using receiver = await startReceiver(answering(503))
  await using stub = await startStub({ settings: { paymentExpiryMs: 100_000, completionDelayMs: 40_000 } })
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  const paid = await server.paidTransaction()
  const unpaid = await server.purchase()
  await receiver.count(1)
  await server.call('transaction.delivery', { transactionId: paid })
  await stub.advance(200)

  const stories = await Promise.all([paid, unpaid].map((id) => stub.transaction(id)))
  const moves = stories.flatMap(({ history }) => history.filter(({ trigger }) => /complete|expire/.test(trigger)))
  const deliveries = (await stub.request('GET', '/stub/webhooks')).data
  const moments = deliveries.flatMap((delivery: { event: string; attempts: { at: string }[] }) =>
    delivery.attempts.map(({ at }) => `${at} ${delivery.event}`),
  )
  const [completed = '', expired = ''] = moves.map(({ at }) => at)
  expect(Date.parse(expired) - Date.parse(completed)).toBeGreaterThan(55_000)
  // Order at 0 and 15 s; terminal of the delivered one at 40, 55, 85, 145 s; of the expired one at 100, 115, 145 s.
  expect(moments.length).toBe(2 + 4 + 3)
  for (const at of [completed, expired]) expect(moments).toContain(`${at} transaction_terminal`)
  expect(receiver.received).toHaveLength(moments.length)
  const sent = receiver.received.map(({ event, headers }) => {
    const [segment = ''] = String(headers['x-platform-signature']).split('.')
    return [JSON.parse(Buffer.from(segment, 'base64url').toString()).iat, event.event]
  })
  expect(sent.map(([iat]) => iat)).toEqual(sent.map(([iat]) => iat).sort((a, b) => a - b))
})

test('an envelope that was used before a clock jump is a replay after the way back', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const sealed = await server.sealed('market.eligibility', { characterRef: 'c' })
  expect((await send(sealed)).status).toBe(200)
  await stub.advance(3_600)
  await server.call('market.eligibility', { characterRef: 'c' }, { jti: randomUUID() })
  await stub.request('DELETE', '/stub/clock')
  expect((await send(sealed)).message).toBe('Esta requisição já foi processada.')
})

test('a clock jump survives a restart', async () => {
  await using folder = await temporaryFolder()
  {
    await using stub = await startStub({ dataDirectory: folder.path })
    await stub.advance(86_400)
  }
  await using stub = await startStub({ dataDirectory: folder.path })
  const { data } = await stub.request('GET', '/stub/clock')
  expect(data.travelling).toBe(true)
  expect(Math.abs(Date.parse(data.now) - Date.now() - 86_400_000)).toBeLessThan(10_000)
})

test.each([
  [{}],
  [{ now: 'tomorrow' }],
  [{ now: '2031-05-06' }],
  [{ now: '2031-02-30T00:00:00Z' }],
  [{ now: '2031-02-28T24:00:00Z' }],
  [{ now: '2031-05-06T07:08:09+02:00' }],
  [{ advanceSeconds: 1e15 }],
  [{ advanceSeconds: 1, now: '2031-05-06T07:08:09Z' }],
  [{ advanceSeconds: '1' }],
])('a target that is none is refused and moves nothing: %j', async (body) => {
  await using stub = await startStub()
  expect((await stub.request('PUT', '/stub/clock', body)).status).toBe(400)
  expect((await stub.request('GET', '/stub/clock')).data.travelling).toBe(false)
})

test('the clock may be set back, and nothing is done twice for it', async () => {
  await using receiver = await startReceiver(answering(503))
  await using stub = await startStub({ settings: { paymentExpiryMs: 600_000 } })
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  const [paid, unpaid] = [await server.paidTransaction(), await server.purchase()]
  const stories = () =>
    Promise.all([paid, unpaid].flatMap((id): Promise<unknown>[] => [stub.transaction(id), stub.deliveries(id)]))
  await stub.advance(3_600)
  const [done, sent] = [await stories(), receiver.received.length]
  expect(sent).toBeGreaterThan(14)
  await stub.advance(-3_600)
  expect((await stub.now()) - Date.now()).toBeLessThan(60_000)
  await stub.advance(3_500)
  expect(await stories()).toEqual(done)
  expect(receiver.received).toHaveLength(sent)
  // The next attempt is still due at its time.
  await stub.advance(900)
  expect(receiver.received.length).toBeGreaterThan(sent)
})
