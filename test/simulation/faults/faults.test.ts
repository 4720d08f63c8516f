import { expect, test } from 'vitest'
import { startHost } from '../fixtures/start-host.ts'
import { Random } from '../random.ts'
import { drawFaults, type FaultKind, kindNameOf, scheduleFaults } from './fault.ts'
import { hostFaults } from './host-faults.ts'
import { shrink } from './shrink.ts'

const stormMs = 600_000
const seeds = Array.from({ length: 200 }, (_, n) => String(n))

test('which faults a run has, and how often, comes from its seed: every kind in some runs, none at all in others', () => {
  const runs = seeds.map((seed) => drawFaults(hostFaults, new Random(seed), stormMs))
  const calm = runs.filter(({ length }) => length === 0)
  expect(calm.length).toBeGreaterThan(10)
  expect(calm.length).toBeLessThan(60)
  expect(new Set(runs.flat().map(({ kind }) => kind))).toEqual(new Set(hostFaults.map(kindNameOf)))
  expect(runs.flat().every(({ atMs, lastsMs }) => atMs >= 0 && atMs + lastsMs <= stormMs)).toBe(true)
  expect(drawFaults(hostFaults, new Random('7'), stormMs)).toEqual(runs[7])
})

test('a fault that is left out changes nothing for the others', async () => {
  const hit = async (left: (name: string) => boolean) => {
    const numbers: string[] = []
    const table: FaultKind<undefined>[] = ['a', 'b', 'c'].map((name) => ({
      part: 'test',
      name,
      lastsMs: [1, 100],
      strike: (_, random) => {
        numbers.push(`${name} ${random.unit()}`)
        return () => undefined
      },
    }))
    const { scheduler, random } = startHost('3')
    const seed = seeds.find(
      (one) => new Set(drawFaults(table, new Random(one), stormMs).map(({ kind }) => kind)).size === 3,
    )
    const faults = drawFaults(table, new Random(seed ?? ''), stormMs).filter(({ kind }) => left(kind))
    scheduleFaults(faults, table, { targets: undefined, scheduler, random, counts: new Map() })
    await scheduler.run(() => false)
    return numbers
  }
  const all = await hit(() => true)
  expect(new Set(all.map(([name]) => name))).toEqual(new Set(['a', 'b', 'c']))
  expect(await hit((kind) => kind !== 'test: b')).toEqual(all.filter((line) => !line.startsWith('b')))
})

test('each kind of fault of a host strikes, is counted and is healed, and then everything runs again', async () => {
  for (const kind of hostFaults) {
    const { host, scheduler, random } = startHost(kind.name)
    for (const dir of ['/dir', '/spool']) host.disk.mkdir(dir, 0o755)
    host.disk.sync(host.disk.getDir('/', 'open'))
    host.removableDirs.push('/spool')
    const program = host.install('program', (process) => {
      const work = (): void => {
        process.enter('work')
        process.after(50, 'works', work)
      }
      work()
    })
    program.start()
    const counts = new Map<string, number>()
    const faults = [5, 400].map((atMs) => ({ kind: kindNameOf(kind), atMs, lastsMs: 3_000, seed: String(atMs) }))
    scheduleFaults(faults, hostFaults, { targets: { hosts: [host] }, scheduler, random, counts })
    await scheduler.run(() => scheduler.nowMs > 4_000)
    expect(counts, kind.name).toEqual(new Map([[kindNameOf(kind), 2]]))
    const { count } = scheduler
    await scheduler.run(() => scheduler.nowMs > 10_000)
    expect(scheduler.count - count, kind.name).toBeGreaterThan(80)
    expect(host.diskFaults.failureOf('rename', '/dir/a')).toBeUndefined()
    expect([host.diskFaults.slowMsMax.value, host.clock.lateMsMax.value]).toEqual([5, 1])
  }
})

test('a failing list is reduced to what the failure needs', async () => {
  const all = Array.from({ length: 40 }, (_, n) => n)
  for (const needed of [[], [17], [3, 4], [0, 39], [1, 13, 14, 30]]) {
    let tries = 0
    const fails = async (list: readonly number[]) => {
      tries++
      return needed.every((n) => list.includes(n))
    }
    expect(await shrink(all, fails)).toEqual(needed)
    expect(tries).toBeLessThan(100)
  }
})

test('what is left fails without any single part, also where parts stand for each other', async () => {
  const fails = async (list: readonly number[]) => list.filter((n) => n % 3 === 0).length >= 2
  const left = await shrink([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], fails)
  expect(left.length).toBe(2)
  expect(await fails(left)).toBe(true)
})
