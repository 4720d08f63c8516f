import { expect, test } from 'vitest'
import { startInStandby } from '../../../agent/command-line/standby.ts'
import { LockedError } from '../../../agent/ownership/ownership.ts'
import { TestClock } from '../fixtures/test-clock.ts'

/** A standby whose start fails until the other agent is gone, and the moments at which it tried. */
function setup() {
  const clock = new TestClock()
  const startMs = clock.monotonicMs()
  const triedMs: number[] = []
  const reported: string[] = []
  const stop = Promise.withResolvers<string>()
  const sleep = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve))
  let isLocked = true
  const started = startInStandby(
    async () => {
      triedMs.push(Math.round(clock.monotonicMs() - startMs))
      if (isLocked) throw new LockedError('/state', 'process 7')
      return 'running'
    },
    { clock: { sleep }, onStandby: ({ owner }) => reported.push(owner), stopSignal: stop.promise },
  )
  const advance = async (ms: number) => {
    clock.advance(ms)
    await clock.nextTurn()
  }
  const release = () => {
    isLocked = false
  }
  return { started, triedMs, reported, stop, advance, release }
}

test('a standby takes over at most 0.2 s after the other agent has ended', async () => {
  const { started, triedMs, reported, advance, release } = setup()
  await advance(0)
  await advance(200)
  await advance(200)
  release()
  await advance(199)
  expect(triedMs).toEqual([0, 200, 400])
  await advance(1)
  expect(triedMs).toEqual([0, 200, 400, 600])
  expect(await started).toBe('running')
  expect(reported).toEqual(['process 7'])
})

test('a signal ends a standby at once', async () => {
  const { started, triedMs, stop, advance } = setup()
  await advance(0)
  stop.resolve('SIGTERM')
  expect(await started).toBe(undefined)
  await advance(1_000)
  expect(triedMs).toEqual([0])
})

test('a start that fails for another reason is not tried again', async () => {
  const clock = new TestClock()
  const failing = startInStandby(() => Promise.reject(new Error('the port is taken')), {
    clock,
    onStandby: () => undefined,
    stopSignal: new Promise(() => undefined),
  })
  await expect(failing).rejects.toThrow('the port is taken')
  expect(clock.sleptMs).toEqual([])
})
