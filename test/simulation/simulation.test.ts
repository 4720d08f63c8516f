import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { HostTargets } from './faults/host-faults.ts'
import { counting, type Save, saveInPlace, saveWhole, saveWithoutSync } from './fixtures/counting.ts'
import { OutsideError } from './outside.ts'
import { ProcessDied } from './process.ts'
import { BrokenPromise, explain, runSeed, type Simulation } from './simulation.ts'

const seeds = Array.from({ length: 24 }, (_, n) => String(n + 1))

async function firstFailure(simulation: Simulation<HostTargets>) {
  for (const seed of seeds) {
    const run = await runSeed(simulation, seed)
    if (run.violation) return run
  }
  return undefined
}

test('a correct program keeps its promises under every seed', async () => {
  expect(await firstFailure(counting(saveWhole))).toBeUndefined()
})

test('the same seed gives the same run, event by event', async () => {
  for (const seed of seeds.slice(0, 4)) {
    const [one, other] = [await runSeed(counting(saveWhole), seed), await runSeed(counting(saveWhole), seed)]
    expect(other).toEqual(one)
    expect(one.events).toBeGreaterThan(1_000)
  }
})

test('a file that is not synced is found, and explained by a power cut', async () => {
  const failed = await firstFailure(counting(saveWithoutSync))
  if (!failed) return expect.unreachable()
  expect(failed.violation).toBeInstanceOf(BrokenPromise)
  const explained = await explain(counting(saveWithoutSync), failed)
  expect(explained.violation?.message).toBe(failed.violation?.message)
  expect(explained.faults.map(({ kind }) => kind)).toEqual([expect.stringContaining('power cut')])
  expect(explained.lines.at(-1)).toMatch(/counter/)
})

test('a file that is written in place is found, and explained by a kill between two calls', async () => {
  const failed = await firstFailure(counting(saveInPlace))
  if (!failed) return expect.unreachable()
  const explained = await explain(counting(saveInPlace), failed)
  expect(explained.faults.length).toBe(1)
  expect(explained.faults.map(({ kind }) => kind).join()).toMatch(/killed at a call|power cut|disk: full/)
})

test('a program that leaves the world ends the run with the name of the way that it took', async () => {
  const ways: [RegExp, () => unknown][] = [
    [/globalThis.setTimeout/, () => setTimeout(() => undefined, 1)],
    [/timers\/promises.setImmediate/, () => nextTurn()],
    [/Date.now/, () => Date.now()],
    [/new Date/, () => new Date()],
    [/Math.random/, () => Math.random()],
    [/crypto.randomUUID/, () => randomUUID()],
    [/fs.readFileSync/, () => readFileSync(import.meta.filename)],
    [/net.Server.listen/, () => createServer().listen(0)],
  ]
  for (const [name, leave] of ways) {
    const save: Save = (fs, text) => {
      saveWhole(fs, text)
      try {
        leave()
      } catch {
        // The run ends although the program continues.
      }
    }
    const { violation } = await runSeed(counting(save), '1', { faults: [] })
    expect(violation).toBeInstanceOf(OutsideError)
    expect(violation?.message).toMatch(name)
  }
  expect(new Date(5).getTime()).toBe(5)
  expect(Date.now()).toBeGreaterThan(0)
})

test('an error that a program does not catch ends the run with that error', async () => {
  const simulation = counting(() => {
    throw new ProcessDied()
  })
  const broken: Simulation<HostTargets> = {
    ...simulation,
    async assemble(parts) {
      const world = await simulation.assemble(parts)
      const process = world.targets.hosts[0]?.programs[0]?.process
      process?.after(10, 'fails', () => {
        throw new Error('a bug')
      })
      return world
    },
  }
  expect((await runSeed(broken, '1')).violation?.message).toBe('a bug')
})
