import { expect, test } from 'vitest'
import { StubClock } from '../../../platform-stub/clock/clock.ts'
import { Delays } from '../../../platform-stub/faults/delays.ts'
import { FaultQueue } from '../../../platform-stub/faults/fault-queue.ts'
import { manualTime } from '../fixtures/manual-time.ts'

const any = () => true

test('a fault happens as often as it was asked for, and then is gone', () => {
  const queue = new FaultQueue<{ times: number }>()
  queue.add({ times: 2 })
  expect(queue.newest(9)).toEqual([{ id: 1, times: 2 }])
  expect(queue.take(any)).toBeDefined()
  expect(queue.newest(9)).toEqual([{ id: 1, times: 1 }])
  expect(queue.take(any)).toBeDefined()
  expect([queue.isEmpty, queue.take(any)]).toEqual([true, undefined])
})

test('of several faults the one that was set first and fits happens, and the others wait', () => {
  const queue = new FaultQueue<{ times: number; what: string }>()
  for (const what of ['a', 'b', 'b']) queue.add({ times: 1, what })
  expect(queue.take(({ what }) => what === 'b')).toMatchObject({ id: 2 })
  expect(queue.newest(9).map(({ id }) => id)).toEqual([3, 1])
  expect(queue.newest(1).map(({ id }) => id)).toEqual([3])
  queue.clear()
  expect(queue.isEmpty).toBe(true)
})

test('a delay is over when its real time is, or when it is broken off; after the end there is no wait', async () => {
  const { time, pass } = manualTime()
  const clock = new StubClock(time, 0)
  const delays = new Delays(clock)
  const over: string[] = []
  const wait = (name: string, durationMs: number) => delays.pass(durationMs).then(() => over.push(name))
  const short = wait('short', 100)
  const long = wait('long', 1_000)
  clock.runFrom(clock.nowMs() + 5_000)
  pass(99)
  await Promise.resolve()
  expect(over).toEqual([])
  pass(1)
  await short
  delays.breakOff()
  await long
  delays.end()
  await wait('late', 1_000)
  expect(over).toEqual(['short', 'long', 'late'])
})

test('a fault that is removed does not happen any more, and the others do', () => {
  const queue = new FaultQueue<{ times: number; what: string }>()
  const { id } = queue.add({ times: 5, what: 'removed' })
  queue.add({ times: 1, what: 'kept' })
  queue.remove(id)
  queue.remove(id)
  expect(queue.take(any)?.what).toBe('kept')
  expect(queue.isEmpty).toBe(true)
})
