import { expect, test } from 'vitest'
import { NotedObservations } from '../../../agent/call/noted-observations.ts'
import type { DueRepair } from '../../../agent/call/repair-journal.ts'
import { StoreFullError } from '../../../agent/database/store-errors.ts'
import { memoryRepairJournal } from '../fixtures/memory-repair-journal.ts'
import { TestClock } from '../fixtures/test-clock.ts'
import { unexpected } from '../fixtures/unexpected.ts'

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
  const observations = new NotedObservations({ ...journal, noteRepair }, { clock, lifetimeMs, onError: unexpected })
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
  const observations = new NotedObservations(journal, { clock, lifetimeMs, onError: unexpected })
  await observations.begin(() => undefined)
  const leave = () =>
    observations.apply('item-1', { kind: 'leave', quantity: 5, nowMs: clock.monotonicMs() }, 'must-be-stored')
  await expect(leave()).rejects.toThrow(StoreFullError)
  clock.advance(lifetimeMs)
  observations.endRound()
  await leave()
  expect(removals).toBe(0)
})

const overwritten = expect.objectContaining({ itemRef: 'item-1', quantity: 3 })

/** Observations of a journal that takes nothing while its disk is full. */
async function observationsOfFullDisk() {
  const clock = new TestClock()
  const journal = memoryRepairJournal(clock)
  const disk = { isFull: true }
  const ifRoom =
    <Args extends unknown[]>(write: (...args: Args) => Promise<void>) =>
    async (...args: Args) => {
      if (disk.isFull) throw new StoreFullError('ENOSPC', new Error('full'))
      await write(...args)
    }
  const full = { ...journal, noteRepair: ifRoom(journal.noteRepair), removeRepair: ifRoom(journal.removeRepair) }
  const observations = new NotedObservations(full, { clock, lifetimeMs, onError: unexpected })
  await observations.begin(() => undefined)
  const overwrite = (itemRef = 'item-1') =>
    observations.apply(itemRef, { kind: 'overwritten', quantity: 3, nowMs: clock.monotonicMs() }, 'if-possible')
  const passSecond = async () => {
    clock.advance(1_000)
    await new Promise(setImmediate)
  }
  return { clock, journal, disk, observations, overwrite, passSecond }
}

test('notes that found no room are taken within a second after there is room, even if nothing follows about their items', async () => {
  const { journal, disk, overwrite, passSecond } = await observationsOfFullDisk()
  await overwrite()
  await overwrite('item-2')
  await passSecond()
  expect(await journal.findRepairs()).toEqual([])
  disk.isFull = false
  await passSecond()
  const noted = await journal.findRepairs()
  expect(noted.map(({ itemRef }) => itemRef).sort()).toEqual(['item-1', 'item-2'])
})

test('a note that could not be removed is removed within a second after there is room', async () => {
  const { clock, journal, disk, observations, overwrite, passSecond } = await observationsOfFullDisk()
  disk.isFull = false
  await overwrite()
  await passSecond()
  const nowMs = clock.monotonicMs()
  await observations.apply('item-1', { kind: 'repair', nowMs, lateUntilMs: nowMs + lifetimeMs }, 'in-memory')
  disk.isFull = true
  await observations.apply('item-1', { kind: 'settle' }, 'if-possible')
  await passSecond()
  expect(await journal.findRepairs()).toEqual([overwritten])
  disk.isFull = false
  await passSecond()
  expect(await journal.findRepairs()).toEqual([])
})

test('a bug of a journal that was full is reported, and the notes of other items are taken', async () => {
  const clock = new TestClock()
  const journal = memoryRepairJournal(clock)
  const bug = new Error('a bug')
  const failures: unknown[] = [...Array<unknown>(2).fill(new StoreFullError('ENOSPC', new Error('full'))), bug]
  const noteRepair = async (repair: DueRepair) => {
    if (failures.length > 0) throw failures.shift()
    await journal.noteRepair(repair)
  }
  const errors: unknown[] = []
  const options = { clock, lifetimeMs, onError: (error: unknown) => void errors.push(error) }
  const observations = new NotedObservations({ ...journal, noteRepair }, options)
  await observations.begin(() => undefined)
  for (const itemRef of ['item-2', 'item-1'])
    await observations.apply(itemRef, { kind: 'overwritten', quantity: 3, nowMs: clock.monotonicMs() }, 'if-possible')
  clock.advance(1_000)
  await new Promise(setImmediate)
  expect(errors).toEqual([bug])
  expect(await journal.findRepairs()).toEqual([overwritten])
})

test.each([
  { disk: 'has room again', hasRoom: true, left: { lateMs: 0, repairs: [overwritten] } },
  { disk: 'is still full', hasRoom: false, left: { lateMs: lifetimeMs, repairs: [] } },
])('a stop when the disk $disk leaves only what the next process can know', async ({ hasRoom, left }) => {
  const { journal, disk, observations, overwrite } = await observationsOfFullDisk()
  await overwrite()
  disk.isFull = !hasRoom
  await observations.close()
  expect({ lateMs: await journal.begin(lifetimeMs), repairs: await journal.findRepairs() }).toEqual(left)
})
