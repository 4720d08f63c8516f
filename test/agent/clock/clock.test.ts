import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clockOver, type RawTime } from '../../../agent/clock/clock.ts'
import { systemClock } from '../../../agent/clock/system-clock.ts'

/** Raw time whose timers fire when a test says so, however early. */
function rawTime() {
  let nowMs = 0
  const timers: { delayMs: number; callback: () => void }[] = []
  const time: RawTime = {
    wallMs: () => nowMs,
    monotonicMs: () => nowMs,
    setTimer(delayMs, callback) {
      const timer = { delayMs, callback }
      timers.push(timer)
      return () => timers.splice(timers.indexOf(timer), 1)
    },
    nextTurn: async () => undefined,
  }
  const fire = (atMs: number) => {
    nowMs = atMs
    timers.shift()?.callback()
  }
  return { time, timers, fire }
}

test('a callback never comes early, however early the timers of the runtime fire', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 1e9, noNaN: true }),
      fc.array(fc.double({ min: 0, max: 1, noNaN: true })),
      (delayMs, parts) => {
        const { time, timers, fire } = rawTime()
        const calledAtMs: number[] = []
        clockOver(time).after(delayMs, () => calledAtMs.push(time.monotonicMs()))
        for (const part of parts.sort((a, b) => a - b)) fire(delayMs * part)
        fire(delayMs)
        expect(calledAtMs).toEqual([delayMs])
        expect(timers).toEqual([])
      },
    ),
  )
})

test('a cancelled timer is not set again after it fired early', () => {
  const { time, timers, fire } = rawTime()
  const cancel = clockOver(time).after(10, () => expect.unreachable())
  fire(9.5)
  cancel()
  expect(timers).toEqual([])
})

test('a delay longer than a timer of Node can have is kept to', () => {
  const { time, timers, fire } = rawTime()
  let isOver = false
  const days30Ms = 30 * 86_400_000
  clockOver(time).after(days30Ms, () => {
    isOver = true
  })
  expect(timers[0]?.delayMs).toBe(2 ** 31 - 1)
  fire(2 ** 31 - 1)
  expect([isOver, timers[0]?.delayMs]).toEqual([false, days30Ms - (2 ** 31 - 1)])
  fire(days30Ms)
  expect(isOver).toBe(true)
})

test('no timer of the real clock comes early by its own time', async () => {
  const early = Array.from({ length: 300 }, async (_, n) => {
    const dueMs = systemClock.monotonicMs() + 1 + n / 10
    await systemClock.sleep(1 + n / 10)
    return systemClock.monotonicMs() < dueMs
  })
  expect((await Promise.all(early)).filter(Boolean)).toEqual([])
})
