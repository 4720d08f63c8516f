import { expect, test } from 'vitest'
import { windowClock } from '../../../agent/clock/window-clock.ts'
import { TestClock } from '../fixtures/test-clock.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const yearMs = 365 * dayMs

/** A window of a day, looked at each hour, and what its clock says beyond a start at 0. */
function setup(jumpBack?: 'ignored') {
  const clock = new TestClock()
  const startMs = clock.wallMs()
  const nowMs = windowClock(clock, dayMs, jumpBack)
  const passHours = (hours: number): number => {
    for (let n = 0; n < hours; n++) {
      clock.advance(hourMs)
      nowMs()
    }
    return nowMs() - startMs
  }
  return { clock, passHours }
}

test('without a jump it is the wall clock, drift included', () => {
  const { clock, passHours } = setup()
  expect(passHours(30)).toBe(30 * hourMs)
  clock.wallOffsetMs += 500
  expect(passHours(1)).toBe(31 * hourMs + 500)
})

test('a jump ahead ends no window and is believed when it has lasted a whole one', () => {
  const { clock, passHours } = setup()
  clock.wallOffsetMs += yearMs
  expect(passHours(1)).toBe(hourMs)
  expect(passHours(23)).toBe(24 * hourMs)
  expect(passHours(1)).toBe(25 * hourMs + yearMs)
})

test('a jump ahead that is taken back was never believed, and a second one begins again', () => {
  const { clock, passHours } = setup()
  clock.wallOffsetMs += yearMs
  passHours(20)
  clock.wallOffsetMs -= yearMs
  expect(passHours(1)).toBe(21 * hourMs)
  clock.wallOffsetMs += yearMs
  expect(passHours(20)).toBe(41 * hourMs)
})

test('a jump back is believed at once, so that what is set aside after it is kept as long as the rest', () => {
  const { clock, passHours } = setup()
  clock.wallOffsetMs -= dayMs
  expect(passHours(1)).toBe(hourMs - dayMs)
  expect(passHours(24)).toBe(25 * hourMs - dayMs)
})

test('a jump back that is ignored makes nothing old that is noted before its correction', () => {
  const { clock, passHours } = setup('ignored')
  clock.wallOffsetMs -= yearMs
  expect(passHours(30)).toBe(30 * hourMs)
  clock.wallOffsetMs += yearMs
  expect(passHours(1)).toBe(31 * hourMs)
})
