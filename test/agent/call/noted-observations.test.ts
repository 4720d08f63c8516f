import { expect, test } from 'vitest'
import { NotedObservations } from '../../../agent/call/noted-observations.ts'
import type { DueRepair } from '../../../agent/call/repair-journal.ts'
import { StoreFullError } from '../../../agent/database/store-errors.ts'
import { memoryRepairJournal } from '../fixtures/memory-repair-journal.ts'
import { TestClock } from '../fixtures/test-clock.ts'

const lifetimeMs = 43_000

/** Observations whose notes are durable only when `write` is called. */
async function observationsOfSlowJournal() {
  const clock = new TestClock()
  const journal = memoryRepairJournal(clock)
  const { promise: written, resolve: write } = Promise.withResolvers<void>()
  async function noteRepair(repair: DueRepair): Promise<void> {
    await journal.noteRepair(repair)
    await written
  }
  const observations = new NotedObservations({ ...journal, noteRepair }, { clock, lifetimeMs })
  await observations.begin(() => undefined)
  const overwritten = { kind: 'overwritten', quantity: 3, nowMs: clock.monotonicMs() } as const
  const noted = observations.apply('item-1', overwritten, 'if-possible')
  return { clock, journal, observations, noted, write }
}

test('a note that is still being written when its repair ends is removed', async () => {
  const { clock, journal, observations, noted, write } = await observationsOfSlowJournal()
  clock.advance(1)
  const nowMs = clock.monotonicMs()
  await observations.apply('item-1', { kind: 'repair', nowMs, lateUntilMs: nowMs + lifetimeMs }, 'in-memory')
  await observations.apply('item-1', { kind: 'settle' }, 'if-possible')
  write()
  await noted
  expect(await journal.findRepairs()).toEqual([])
})

test('a call with a stock whose note is being written leaves only when the note is durable', async () => {
  const { clock, observations, noted, write } = await observationsOfSlowJournal()
  let hasLeft = false
  const leave = { kind: 'leave', quantity: 3, nowMs: clock.monotonicMs() } as const
  const left = observations.apply('item-1', leave, 'must-be-stored').then(() => (hasLeft = true))
  await new Promise(setImmediate)
  expect(hasLeft).toBe(false)
  write()
  await Promise.all([noted, left])
})

test('an item whose note was refused on a full disk is forgotten when no attempt of it can arrive late any more', async () => {
  const clock = new TestClock()
  let removals = 0
  const journal = memoryRepairJournal(clock, {
    begin: async () => lifetimeMs,
    noteRepair: () => Promise.reject(new StoreFullError('ENOSPC', new Error('full'))),
    removeRepair: async () => void removals++,
  })
  const observations = new NotedObservations(journal, { clock, lifetimeMs })
  await observations.begin(() => undefined)
  const leave = () =>
    observations.apply('item-1', { kind: 'leave', quantity: 5, nowMs: clock.monotonicMs() }, 'must-be-stored')
  await expect(leave()).rejects.toThrow(StoreFullError)
  clock.advance(lifetimeMs)
  observations.endRound()
  await leave()
  expect(removals).toBe(0)
})

/** A journal that takes nothing while it is full, and the times at which its observations want to be looked at. */
async function observationsOfFullJournal() {
  const clock = new TestClock()
  const journal = memoryRepairJournal(clock)
  const disk = { isFull: true }
  const assertRoom = () => {
    if (disk.isFull) throw new StoreFullError('ENOSPC', new Error('full'))
  }
  const observations = new NotedObservations(
    {
      ...journal,
      async noteRepair(repair) {
        assertRoom()
        await journal.noteRepair(repair)
      },
      async removeRepair(itemRef) {
        assertRoom()
        await journal.removeRepair(itemRef)
      },
    },
    { clock, lifetimeMs },
  )
  const looks: number[] = []
  await observations.begin((atMs) => void looks.push(atMs))
  const overwrite = () =>
    observations.apply('item-1', { kind: 'overwritten', quantity: 3, nowMs: clock.monotonicMs() }, 'if-possible')
  /** Lets the first of these times come. Resolves with what is due then. */
  const look = async () => {
    clock.advance(Math.max(0, Math.min(...looks.splice(0)) - clock.monotonicMs()))
    const due = await observations.findDue()
    observations.endRound()
    return due
  }
  return { clock, journal, disk, observations, overwrite, look }
}

test('a note that found no room is taken soon after there is room, also if its item is never heard of again', async () => {
  const { clock, journal, disk, observations, overwrite, look } = await observationsOfFullJournal()
  const lateUntilMs = clock.monotonicMs() + lifetimeMs
  await observations.apply('item-1', { kind: 'expect-late', lateUntilMs }, 'if-possible')
  await overwrite()
  expect(await look()).toEqual([])
  expect(await journal.findRepairs()).toEqual([])
  disk.isFull = false
  const roomSinceMs = clock.monotonicMs()
  expect(await look()).toEqual([])
  expect(await journal.findRepairs()).toMatchObject([{ itemRef: 'item-1', quantity: 3 }])
  expect(clock.monotonicMs() - roomSinceMs).toBeLessThanOrEqual(1_000)
})

test('a note that could not be removed is removed soon after there is room', async () => {
  const { clock, journal, disk, observations, overwrite, look } = await observationsOfFullJournal()
  disk.isFull = false
  await overwrite()
  expect(await look()).toEqual(['item-1'])
  const nowMs = clock.monotonicMs()
  await observations.apply('item-1', { kind: 'repair', nowMs, lateUntilMs: nowMs + lifetimeMs }, 'in-memory')
  disk.isFull = true
  await observations.apply('item-1', { kind: 'settle' }, 'if-possible')
  expect(await journal.findRepairs()).toHaveLength(1)
  disk.isFull = false
  await look()
  expect(await journal.findRepairs()).toEqual([])
})

const overwritten = expect.objectContaining({ itemRef: 'item-1', quantity: 3 })

test.each([
  { disk: 'has room again', hasRoom: true, left: { lateMs: 0, repairs: [overwritten] } },
  { disk: 'is still full', hasRoom: false, left: { lateMs: lifetimeMs, repairs: [] } },
])('a stop when the disk $disk leaves only what the next process can know', async ({ hasRoom, left }) => {
  const { journal, disk, observations, overwrite } = await observationsOfFullJournal()
  await overwrite()
  disk.isFull = !hasRoom
  await observations.close()
  expect({ lateMs: await journal.begin(lifetimeMs), repairs: await journal.findRepairs() }).toEqual(left)
})
