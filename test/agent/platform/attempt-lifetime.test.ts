import fc from 'fast-check'
import { expect, test } from 'vitest'
import { attemptLifetimeMsOf } from '../../../agent/platform/partner-api.ts'
import { clockOffsetMsTolerated, PlatformClock } from '../../../agent/platform/platform-clock.ts'
import { TestClock } from '../fixtures/test-clock.ts'

const attemptTimeoutMs = 10_000
const envelopeLifetimeMs = attemptTimeoutMs + 20_000
/** An answer as it came: how long it took, and when on its way the platform read its clock. */
const answer = fc.tuple(fc.integer({ min: 0, max: attemptTimeoutMs }), fc.double({ min: 0, max: 1, noNaN: true }))

test('an envelope expires at the platform while the agent still expects it, however slow the answers were that showed the time', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -20_000, max: 20_000 }),
      fc.array(answer, { minLength: 1, maxLength: 2 }),
      (trueOffsetMs, answers) => {
        const clock = new TestClock()
        const platformClock = new PlatformClock(clock, () => undefined)
        for (const [elapsedMs, readAt] of answers) {
          const readMs = clock.wallMs() + elapsedMs * readAt + trueOffsetMs
          clock.advance(elapsedMs)
          platformClock.observe(new Date(readMs).toUTCString(), elapsedMs, platformClock.originMs)
        }
        const leadMs = platformClock.nowMs() - (clock.wallMs() + trueOffsetMs)
        expect(envelopeLifetimeMs + leadMs).toBeLessThanOrEqual(attemptLifetimeMsOf(attemptTimeoutMs))
      },
    ),
  )
})

test('an answer that took as long as it may leaves the agent that far ahead', () => {
  const clock = new TestClock()
  const platformClock = new PlatformClock(clock, () => undefined)
  clock.advance(attemptTimeoutMs)
  // The platform read its clock at the end of a second, and its answer left at once.
  const behindMs = attemptTimeoutMs + clockOffsetMsTolerated
  platformClock.observe(new Date(clock.wallMs() - behindMs).toUTCString(), attemptTimeoutMs, platformClock.originMs)
  expect(platformClock.offsetMs).toBe(0)
  expect(attemptLifetimeMsOf(attemptTimeoutMs)).toBeGreaterThanOrEqual(envelopeLifetimeMs + behindMs)
})

test('an envelope does not live longer if somebody sets the clock ahead, and the next answer tells the operator about the clock', () => {
  const clock = new TestClock()
  const told: (number | undefined)[] = []
  const platformClock = new PlatformClock(clock, (offsetMs) => told.push(offsetMs))
  const platformMs = platformClock.nowMs()
  clock.wallOffsetMs += 60_000
  expect(platformClock.nowMs()).toBe(platformMs)
  const observe = () => platformClock.observe(new Date(platformMs).toUTCString(), 0, platformClock.originMs)
  expect([observe(), platformClock.offsetMs, told]).toEqual(['right', -60_000, [-60_000]])
  clock.wallOffsetMs -= 60_000
  expect([observe(), platformClock.offsetMs, told]).toEqual(['right', 0, [-60_000, undefined]])
})
