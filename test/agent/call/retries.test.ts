import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fullJitterDelayMs, retryAfterMs } from '../../../agent/call/backoff.ts'
import { RetryBudget } from '../../../agent/call/retry-budget.ts'
import { PlatformClock } from '../../../agent/platform/platform-clock.ts'
import { ScriptedPlatform, type Step } from '../fixtures/scripted-platform.ts'
import { goodBodies, goodInputs, startTestAgent } from '../fixtures/test-agent.ts'
import { TestClock } from '../fixtures/test-clock.ts'

const eligibility = goodInputs['market.eligibility']
const allowed = goodBodies['market.eligibility'] ?? ''

/** Lets a platform refuse what has expired by its own clock, as a strict one does, and take the rest as purchases. */
function refuseExpired(platform: ScriptedPlatform, nowMs: () => number): void {
  Object.defineProperty(platform, 'otherwise', {
    get: (): Step => {
      const headers = { date: new Date(nowMs()).toUTCString() }
      const isExpired = (platform.seen.at(-1)?.envelope.exp ?? 0) <= nowMs() / 1_000
      return isExpired
        ? { status: 401, headers, body: '{"message":"Assinatura expirada."}' }
        : { status: 200, headers, body: goodBodies['transaction.create'] ?? '' }
    },
  })
}

test('waits grow from 200 ms by doubling to 5 s, each uniform below its bound', () => {
  const bounds = [200, 400, 800, 1600, 3200, 5000, 5000, 5000]
  expect(bounds.map((_, n) => fullJitterDelayMs(n, () => 0.999_999))).toEqual(bounds.map((bound) => bound - 1))
  expect(bounds.map((_, n) => fullJitterDelayMs(n, () => 0))).toEqual(bounds.map(() => 0))
  fc.assert(
    fc.property(fc.nat(2_000), fc.double({ min: 0, max: 0.999_999, noNaN: true }), (n, random) => {
      const delayMs = fullJitterDelayMs(n, () => random)
      return delayMs >= 0 && delayMs < 5_000
    }),
  )
})

test('the waits of a call are those of the random source that it was given', async () => {
  await using platform = await ScriptedPlatform.start()
  for (let n = 0; n < 4; n++) platform.steps.push({ status: 503, body: '{"message":"Já volta."}' })
  platform.otherwise = { status: 200, body: allowed }
  await using agent = await startTestAgent(platform.url, {}, { random: () => 0.25 })
  expect(await agent.call('market.eligibility', eligibility)).toMatchObject({ ok: true })
  expect(agent.clock.sleptMs).toEqual([50, 100, 200, 400])
})

test('Retry-After is read in seconds and as a date, and nothing else is', () => {
  const nowMs = Date.UTC(2026, 10, 21, 12)
  expect(retryAfterMs('7', nowMs)).toBe(7_000)
  expect(retryAfterMs('Sat, 21 Nov 2026 12:00:09 GMT', nowMs)).toBe(9_000)
  expect(retryAfterMs('Sat, 21 Nov 2026 11:00:00 GMT', nowMs)).toBe(0)
  expect(retryAfterMs('soon', nowMs)).toBeUndefined()
  expect(retryAfterMs(undefined, nowMs)).toBeUndefined()
})

for (const status of [429, 503]) {
  test(`Retry-After of a ${status} is waited for instead of the backoff`, async () => {
    await using platform = await ScriptedPlatform.start()
    platform.steps.push({ status, headers: { 'retry-after': '7' }, body: '{"message":"Espere."}' })
    platform.otherwise = { status: 200, body: allowed }
    await using agent = await startTestAgent(platform.url)
    expect(await agent.call('market.eligibility', eligibility)).toMatchObject({ ok: true })
    expect(agent.clock.sleptMs).toEqual([7_000])
  })
}

test('a Retry-After that is over is followed by the usual waits', async () => {
  await using platform = await ScriptedPlatform.start()
  for (const retryAfter of ['Wed, 21 Oct 2015 07:28:00 GMT', '0'])
    platform.steps.push({ status: 503, headers: { 'retry-after': retryAfter }, body: '{"message":"Já volta."}' })
  platform.otherwise = { status: 200, body: allowed }
  await using agent = await startTestAgent(platform.url, {}, { random: () => 0.25 })
  expect(await agent.call('market.eligibility', eligibility)).toMatchObject({ ok: true })
  expect(agent.clock.sleptMs).toEqual([50, 100])
})

test('a Retry-After beyond the deadline ends the call at once with what the platform said', async () => {
  await using platform = await ScriptedPlatform.start()
  platform.otherwise = { status: 429, headers: { 'retry-after': '31' }, body: '{"message":"Espere meio minuto."}' }
  await using agent = await startTestAgent(platform.url)
  const answer = await agent.call('market.eligibility', eligibility)
  expect(answer).toEqual({ ok: false, message: 'Espere meio minuto.', status: 429 })
  expect(agent.clock.sleptMs).toEqual([])
})

test('a once call turned away with 429 is sent again, because nothing was done', async () => {
  await using platform = await ScriptedPlatform.start([{ status: 429, body: '{"message":"Espere."}' }])
  platform.otherwise = { status: 200, body: goodBodies['transaction.create'] ?? '' }
  await using agent = await startTestAgent(platform.url)
  expect(await agent.call('transaction.create', goodInputs['transaction.create'])).toMatchObject({ ok: true })
  expect(platform.seen).toHaveLength(2)
})

test('every attempt is signed again: jti, times and signature', async () => {
  await using platform = await ScriptedPlatform.start()
  for (let n = 0; n < 5; n++) platform.steps.push({ status: 503 })
  platform.otherwise = { status: 200 }
  await using agent = await startTestAgent(platform.url)
  await agent.call('market.adjust-stock', goodInputs['market.adjust-stock'])
  expect(platform.seen).toHaveLength(6)
  expect(new Set(platform.seen.map(({ envelope }) => envelope.jti)).size).toBe(6)
  expect(new Set(platform.seen.map(({ headers }) => headers['x-platform-signature'])).size).toBe(6)
  for (const { envelope } of platform.seen) expect(envelope.exp - envelope.iat).toBe(30)
  expect(platform.seen[5]?.envelope.iat).toBeGreaterThan(platform.seen[0]?.envelope.iat ?? 0)
})

test('the last attempt is clipped to what is left of the deadline', async () => {
  await using platform = await ScriptedPlatform.start()
  await using agent = await startTestAgent(platform.url, { callDeadlineMs: 12_000 })
  const silentSinceMs: number[] = []
  platform.otherwise = {
    fault: 'silence',
    onRequest: () => {
      silentSinceMs.push(agent.clock.monotonicMs())
      // A millisecond at a time, so that the attempt ends at its own moment and not at the test's.
      const seen = platform.seen.length
      const step = () => {
        if (platform.seen.length !== seen || agent.clock.sleptMs.length >= seen || isOver) return
        agent.clock.advance(100)
        setImmediate(step)
      }
      step()
    },
  }
  let isOver = false
  const startedMs = agent.clock.monotonicMs()
  const answer = await agent.call('market.eligibility', eligibility)
  const endedMs = agent.clock.monotonicMs()
  isOver = true
  expect(answer).toMatchObject({ ok: false, status: 504 })
  expect(silentSinceMs).toHaveLength(2)
  expect(endedMs - startedMs).toBeGreaterThanOrEqual(12_000)
  expect(endedMs - startedMs).toBeLessThanOrEqual(12_200)
})

test('all calls together repeat no more than 20 % of the calls and 10 a second', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ calls: fc.nat(200), gapMs: fc.nat(3_000) }), { maxLength: 30 }), (rounds) => {
      const clock = new TestClock()
      const budget = new RetryBudget(clock)
      const startedMs = clock.monotonicMs()
      let calls = 0
      let retries = 0
      for (const round of rounds) {
        for (let n = 0; n < round.calls; n++) budget.countCall()
        calls += round.calls
        while (budget.take()) retries++
        clock.advance(round.gapMs)
      }
      const seconds = (clock.monotonicMs() - startedMs) / 1_000
      expect(retries).toBeLessThanOrEqual(0.2 * calls + 10 * seconds + 10)
    }),
  )
})

test('when the budget is spent a call ends at once with its last failure', async () => {
  await using platform = await ScriptedPlatform.start()
  platform.otherwise = { status: 503, body: '{"message":"Em manutenção."}' }
  await using agent = await startTestAgent(platform.url, {}, { random: () => 0 })
  const answers = await Promise.all(Array.from({ length: 30 }, () => agent.call('market.eligibility', eligibility)))
  expect(answers.every(({ status }) => status === 503)).toBe(true)
  // 10 at hand and a fifth of 30 calls; no time passes, for every wait is 0 ms long.
  expect(platform.seen.length).toBe(30 + 10 + 6)
})

test('a clock that is off by no more than 2 s, or than the answer took, is not corrected', () => {
  const clock = new TestClock()
  const dateIn = (offsetMs: number) => new Date(clock.wallMs() + offsetMs).toUTCString()
  const observe = (offsetMs: number, elapsedMs: number) => {
    const platformClock = new PlatformClock(clock, () => undefined)
    return [platformClock.observe(dateIn(offsetMs), elapsedMs, platformClock.originMs), platformClock.offsetMs]
  }
  expect(observe(2_000, 0)).toEqual(['right', 0])
  expect(observe(-3_000, 0)).toEqual(['right', 0])
  expect(observe(-12_000, 9_000)).toEqual(['right', 0])
  expect(observe(3_000, 9_000)).toEqual(['off', 3_000])
  expect(observe(-13_000, 9_000)).toEqual(['off', -3_000])
})

test('whatever the platform’s clock shows, one answer sets ours right, to 3 s and what the answer took', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -1e9, max: 1e9 }),
      fc.nat(10_000),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (trueMs, elapsedMs, when) => {
        const clock = new TestClock()
        const platformClock = new PlatformClock(clock, () => undefined)
        const readAtMs = clock.wallMs() - elapsedMs * when + trueMs
        platformClock.observe(new Date(Math.floor(readAtMs / 1_000) * 1_000).toUTCString(), elapsedMs, 0)
        expect(Math.abs((platformClock.offsetMs ?? Number.NaN) - trueMs)).toBeLessThanOrEqual(3_000 + elapsedMs)
      },
    ),
  )
})

for (const aheadMs of [12_000, 25_000, 30_000, 31_000]) {
  test(`a platform that is ${aheadMs} ms ahead takes every call, with the shortest envelopes too`, async () => {
    await using platform = await ScriptedPlatform.start()
    await using agent = await startTestAgent(platform.url, { attemptTimeoutMs: 100 })
    refuseExpired(platform, () => agent.clock.wallMs() + aheadMs)
    for (let n = 0; n < 3; n++) {
      expect(await agent.call('transaction.create', goodInputs['transaction.create'])).toMatchObject({ ok: true })
    }
  })
}

test('of calls that were signed side by side by a wrong clock each is sent once more', async () => {
  await using platform = await ScriptedPlatform.start()
  await using agent = await startTestAgent(platform.url)
  refuseExpired(platform, () => agent.clock.wallMs() + 3_600_000)
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => agent.call('transaction.create', goodInputs['transaction.create'])),
  )
  expect(answers.filter(({ ok }) => !ok)).toEqual([])
})

test('a call that has no time left for another attempt is not signed again by the right clock', async () => {
  await using platform = await ScriptedPlatform.start()
  await using agent = await startTestAgent(platform.url, { callDeadlineMs: 1_000 })
  const headers = { date: new Date(agent.clock.wallMs() + 3_600_000).toUTCString() }
  const body = '{"message":"Assinatura expirada."}'
  platform.otherwise = { status: 401, headers, body, onRequest: () => agent.clock.advance(901) }
  expect(await agent.call('transaction.create', goodInputs['transaction.create'])).toEqual({
    ok: false,
    status: 401,
    message: 'Assinatura expirada.',
  })
  expect(platform.seen).toHaveLength(1)
})

test('what an earlier attempt left in doubt is not called unsent because a later one could not connect', async () => {
  await using platform = await ScriptedPlatform.start([{ fault: 'close' }])
  await using agent = await startTestAgent(platform.url)
  agent.clock.onSleep = () => platform.stop()
  const answer = await agent.call('market.adjust-stock', goodInputs['market.adjust-stock'])
  expect(answer).toMatchObject({ ok: false, status: 504, uncertain: true })
  expect(answer['message']).not.toContain('nada foi enviado')
})

test("a platform's clock that jumps is followed from its next answer on, without a refusal", async () => {
  await using platform = await ScriptedPlatform.start()
  await using agent = await startTestAgent(platform.url)
  const platformMs = agent.clock.wallMs() + 86_400_000
  platform.otherwise = { status: 200, headers: { date: new Date(platformMs).toUTCString() } }
  for (let n = 0; n < 2; n++) await agent.call('market.adjust-stock', goodInputs['market.adjust-stock'])
  expect(platform.seen[1]?.envelope.iat).toBe(Math.floor(platformMs / 1000))
})
