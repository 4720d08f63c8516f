import { expect, test } from 'vitest'
import { clockOver } from '../../agent/clock/clock.ts'
import { startHost } from './fixtures/start-host.ts'
import { ModelHost } from './host.ts'
import { ProcessDied } from './process.ts'
import { worldActor } from './scheduler.ts'

const world = worldActor('world')
const endless = () => false

/** A program of which each process starts two workers, which sleep and call again and again. */
function startBusyProgram(seed: string) {
  const { scheduler, host } = startHost(seed)
  const program = host.install('busy', (process) => {
    const clock = clockOver(process.time)
    const work = async (name: string) => {
      for (let n = 0; ; n++) {
        await clock.sleep(10)
        await process.enterSlowly(`${name} ${n}`, 5, () => n)
      }
    }
    for (const name of ['one', 'other']) void work(name)
  })
  program.start()
  return { scheduler, program }
}

test('events happen in the order of their moments, however they were made', async () => {
  const { random, scheduler } = startHost()
  const happened: number[] = []
  for (let n = 0; n < 1_000; n++) {
    scheduler.after(random.integer(0, 300), world, 'event', () => happened.push(scheduler.nowMs))
  }
  await scheduler.run(endless)
  expect(happened.length).toBe(1_000)
  expect(happened).toEqual(happened.toSorted((one, other) => one - other))
})

test('what comes due while everything sleeps happens afterwards, in its order', async () => {
  const { scheduler } = startHost()
  const happened: string[] = []
  const note = (what: string) => () => happened.push(`${what} at ${scheduler.nowMs}`)
  scheduler.after(10, world, 'sleeps', () => {
    scheduler.after(5, world, 'new', note('new'))
    scheduler.sleep(1_000)
    scheduler.after(5, world, 'newest', note('newest'))
  })
  for (const atMs of [30, 20, 2_000]) scheduler.after(atMs, world, 'due', note(`due ${atMs}`))
  await scheduler.run(endless)
  const afterwards = ['new at 1010', 'due 20 at 1010', 'due 30 at 1010']
  expect(happened).toEqual([...afterwards, 'newest at 1015', 'due 2000 at 2000'])
  expect(scheduler.sleptMs).toBe(1_000)
})

test('what an event causes in promises has ended before the next event', async () => {
  const { scheduler } = startHost()
  const happened: string[] = []
  const act = async (name: string) => {
    for (let n = 0; n < 20; n++) await undefined
    happened.push(`${name} has ended`)
  }
  for (const name of ['one', 'other']) {
    scheduler.after(name === 'one' ? 1 : 1.000001, world, name, () => {
      happened.push(name)
      void act(name)
    })
  }
  await scheduler.run(endless)
  expect(happened).toEqual(['one', 'one has ended', 'other', 'other has ended'])
})

test('a seed decides between events of one moment and gives the same run each time', async () => {
  const orderOf = async (seed: string) => {
    const { scheduler } = startHost(seed)
    for (const name of ['a', 'b', 'c', 'd', 'e']) scheduler.after(1, world, name, () => undefined)
    await scheduler.run(endless)
    return scheduler.trace.lines.map((line) => line.at(-1)).join('')
  }
  const orders = await Promise.all(Array.from({ length: 30 }, (_, n) => orderOf(String(n))))
  expect(new Set(orders).size).toBeGreaterThan(20)
  expect(await orderOf('7')).toBe(orders[7])
})

test('the same seed gives the same trace, and another seed another one', async () => {
  const hashOf = async (seed: string) => {
    const { scheduler } = startBusyProgram(seed)
    await scheduler.run(() => scheduler.count >= 2_000)
    return scheduler.trace.hash
  }
  expect(await hashOf('a')).toBe(await hashOf('a'))
  expect(await hashOf('b')).not.toBe(await hashOf('a'))
})

test('an event that throws ends the run with its error, and so does the check', async () => {
  const { scheduler } = startHost()
  scheduler.after(1, world, 'fails', () => {
    throw new Error('of the event')
  })
  await expect(scheduler.run(endless)).rejects.toThrow('of the event')
  const check = () => {
    throw new Error('of the check')
  }
  await expect(scheduler.run(check)).rejects.toThrow('of the check')
})

test('a cancelled event does not happen, held or not', async () => {
  const { scheduler, host } = startHost()
  const happened: string[] = []
  const program = host.install('program', (process) => {
    const cancelFirst = process.after(5, 'first', () => happened.push('first'))
    const cancelSecond = process.after(20, 'second', () => happened.push('second'))
    process.after(30, 'third', () => happened.push('third'))
    scheduler.after(1, world, 'cancel', cancelFirst)
    scheduler.after(10, world, 'pause', () => process.pause())
    scheduler.after(40, world, 'cancel', cancelSecond)
    scheduler.after(50, world, 'resume', () => process.resume())
  })
  program.start()
  await scheduler.run(endless)
  expect(happened).toEqual(['third'])
  expect(scheduler.nowMs).toBe(50)
})

test('nothing happens to a process that was killed: no timer, no answer, no continuation', async () => {
  const { scheduler, program } = startBusyProgram('1')
  await scheduler.run(() => scheduler.nowMs > 500)
  const { process } = program
  process?.end()
  const { count } = scheduler.trace
  await scheduler.run(endless)
  expect(scheduler.trace.count).toBe(count)
  expect(() => process?.enter('call')).toThrow(ProcessDied)
  program.start()
  await scheduler.run(() => scheduler.nowMs > 1_000)
  expect(scheduler.trace.lines.at(-1)).toMatch(/busy-2/)
})

test('a process can be killed between two calls of one event', async () => {
  const { scheduler, host } = startHost()
  const done: number[] = []
  const program = host.install('program', (process) => {
    process.endAtCall(3)
    for (let n = 0; n < 10; n++) {
      try {
        process.enter(`call ${n}`)
        done.push(n)
      } catch (error) {
        expect(error).toBeInstanceOf(ProcessDied)
      }
    }
  })
  program.start()
  await scheduler.run(endless)
  expect(done).toEqual([0, 1, 2])
  expect(program.process).toBeUndefined()
})

test('a process that is killed in the middle of a call may have acted without knowing it', async () => {
  const seen = new Set<string>()
  for (let n = 0; n < 50; n++) {
    const { scheduler, host, random } = startHost(String(n))
    const state = { hasActed: false, knowsIt: false }
    const program = host.install('program', (process) => {
      const act = () => {
        state.hasActed = true
      }
      void process.enterSlowly('call', 10, act).then(() => {
        state.knowsIt = true
      })
    })
    program.start()
    scheduler.after(random.between(0, 12), world, 'kill', () => program.process?.end())
    await scheduler.run(endless)
    seen.add(JSON.stringify(state))
  }
  expect([...seen].sort()).toEqual([
    '{"hasActed":false,"knowsIt":false}',
    '{"hasActed":true,"knowsIt":false}',
    '{"hasActed":true,"knowsIt":true}',
  ])
})

test('what came due while a process was paused happens when it runs again', async () => {
  const { scheduler, program } = startBusyProgram('1')
  await scheduler.run(() => scheduler.nowMs > 500)
  program.process?.pause()
  scheduler.after(60_000, world, 'resume', () => program.process?.resume())
  const { count } = scheduler
  await scheduler.run(() => scheduler.nowMs > 60_000)
  expect(scheduler.count).toBe(count + 1)
  await scheduler.run(() => scheduler.nowMs > 61_000)
  expect(scheduler.count).toBeGreaterThan(count + 100)
})

test("the agent's clock never calls back early, although timers fire up to 1 ms early", async () => {
  const { scheduler, host } = startHost()
  let [early, timers] = [0, 0]
  const program = host.install('program', (process) => {
    const clock = clockOver(process.time)
    for (let n = 0; n < 200; n++) {
      const dueMs = clock.monotonicMs() + 20
      clock.after(20, () => expect(clock.monotonicMs()).toBeGreaterThanOrEqual(dueMs))
      process.time.setTimer(20, () => {
        timers++
        if (process.time.monotonicMs() < dueMs) early++
      })
    }
  })
  program.start()
  await scheduler.run(endless)
  expect(timers).toBe(200)
  expect(early).toBeGreaterThan(50)
})

test('each host has a wall clock of its own that can be set, and each process a monotonic one that cannot', async () => {
  const { scheduler, host, random } = startHost()
  const other = new ModelHost('other', scheduler, random)
  const waitMs = async (ms: number) => {
    scheduler.after(ms, world, 'waited', () => undefined)
    await scheduler.run(endless)
  }
  await waitMs(10_000)
  const program = host.install('program', () => undefined)
  program.start()
  host.clock.setWall(-3_600_000)
  host.clock.drift(200)
  await waitMs(10_000)
  expect(program.process?.time.monotonicMs()).toBeCloseTo(10_002, 6)
  expect(program.process?.time.wallMs()).toBeCloseTo(other.clock.wallMs - 3_600_000 + 2, 3)
})
