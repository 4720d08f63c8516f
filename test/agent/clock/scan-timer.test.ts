import { expect, test } from 'vitest'
import { ScanTimer } from '../../../agent/clock/scan-timer.ts'
import { TestClock } from '../fixtures/test-clock.ts'

/** A timer whose scans last until the test ends them, and when each began, in ms after the start. */
function setup() {
  const clock = new TestClock()
  const startMs = clock.monotonicMs()
  const began: number[] = []
  let end: () => void = () => undefined
  const timer = new ScanTimer(clock, () => {
    began.push(Math.round(clock.monotonicMs() - startMs))
    return new Promise((resolve) => {
      end = resolve
    })
  })
  /** Ends the scan under way, and lets the timer see it. */
  const endScan = () => {
    end()
    return new Promise(setImmediate)
  }
  return { clock, began, timer, endScan }
}

test('it scans at the start, and 200 ms after each scan has ended', async () => {
  const { clock, began, timer, endScan } = setup()
  const started = timer.start()
  clock.advance(20)
  await endScan()
  await started
  clock.advance(199)
  expect(began).toEqual([0])
  clock.advance(1)
  expect(began).toEqual([0, 220])
})

test('several reports of a change make one early scan, after a rest of four times the last one', async () => {
  const { clock, began, timer, endScan } = setup()
  void timer.start()
  timer.wake()
  clock.advance(10)
  timer.wake()
  await endScan()
  timer.wake()
  clock.advance(39)
  expect(began).toEqual([0])
  clock.advance(1)
  expect(began).toEqual([0, 50])
  await endScan()
  clock.advance(100)
  timer.wake()
  expect(began).toEqual([0, 50, 150])
})

test('a stop waits for the scan under way, and nothing is scanned after it', async () => {
  const { clock, began, timer, endScan } = setup()
  timer.wake()
  void timer.start()
  timer.wake()
  let isStopped = false
  const stopped = timer.stop().then(() => {
    isStopped = true
  })
  timer.wake()
  await new Promise(setImmediate)
  expect(isStopped).toBe(false)
  await endScan()
  await stopped
  timer.wake()
  clock.advance(1_000)
  await timer.stop()
  expect(began).toEqual([0])
})

test('a stop between two scans ends them', async () => {
  const { clock, began, timer, endScan } = setup()
  void timer.start()
  await endScan()
  await timer.stop()
  timer.wake()
  clock.advance(1_000)
  expect(began).toEqual([0])
})
