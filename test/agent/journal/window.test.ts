import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { CallAnswer } from '../../../agent/call/answer.ts'
import { laterClock, testStateDir } from '../fixtures/test-journal.ts'

const windowMs = 600_000
const minuteMs = 60_000
const answer: CallAnswer = { ok: true, dataText: '{"n": 1.50}' }
const called = (id: string) => ({ id, fingerprint: `fingerprint of ${id}`, operationName: 'transaction.create' })
/** A call whose answer is not synced, for tests with many of them. */
const calledIdempotent = (id: string) => ({ ...called(id), operationName: 'market.adjust-stock' })

for (const [passedMs, isKept] of [
  [0, true],
  [windowMs - 2_000, true],
  [windowMs + 1, false],
] as const) {
  test(`${passedMs / 1000} s over a restart leave an answer ${isKept ? 'kept' : 'forgotten'}`, async () => {
    using state = testStateDir()
    const first = state.open()
    await first.recordAnswer(called('a'), answer, windowMs)
    await first.close()
    await using second = state.open(laterClock(passedMs))
    const found = await second.find('a')
    if (isKept) expect(found).toMatchObject({ fingerprint: 'fingerprint of a', answer })
    else expect(found).toBeUndefined()
  })
}

test('what is left of a window after a restart runs by the monotonic clock', async () => {
  using state = testStateDir()
  const first = state.open()
  await first.recordAnswer(called('a'), answer, windowMs)
  await first.close()
  await using second = state.open(laterClock(4 * minuteMs))
  second.clock.wallOffsetMs -= 86_400_000
  second.clock.advance(5 * minuteMs)
  expect(await second.find('a')).toBeDefined()
  second.clock.advance(minuteMs)
  expect(await second.find('a')).toBeUndefined()
})

test('a wall clock that was set back while the agent was away keeps an answer for one window at most', async () => {
  using state = testStateDir()
  const first = state.open()
  await first.recordAnswer(called('a'), answer, windowMs)
  await first.close()
  await using second = state.open(laterClock(-86_400_000))
  second.clock.advance(windowMs)
  expect(await second.find('a')).toBeDefined()
  second.clock.advance(1)
  expect(await second.find('a')).toBeUndefined()
})

test('a wall clock that was set back while the agent runs prolongs nothing', async () => {
  using state = testStateDir()
  await using journal = state.open()
  await journal.recordAnswer(called('a'), answer, windowMs)
  journal.clock.wallOffsetMs -= 86_400_000
  journal.clock.advance(windowMs + 1)
  expect(await journal.find('a')).toBeUndefined()
})

test('entries go by themselves after their window, but not while their request is unanswered', async () => {
  using state = testStateDir()
  const journal = state.open()
  for (const id of ['a', 'b', 'c', 'waiting']) await journal.recordAnswer(called(id), answer, windowMs)
  await journal.recordIntent(called('under way'))
  state.unanswered.add('waiting')
  journal.clock.advance(windowMs - minuteMs)
  await journal.recordAnswer(called('later'), answer, windowMs)
  journal.clock.advance(2 * minuteMs)
  await journal.close()
  expect(state.ids()).toEqual(['later', 'under way', 'waiting'])
})

test('an entry outlives its window for a request that was claimed and never answered', async () => {
  using state = testStateDir()
  const first = state.open()
  await first.recordAnswer(called('a'), answer, windowMs)
  await first.recordIntent(called('b'))
  await first.close()
  await using second = state.open(laterClock(86_400_000))
  expect(await second.find('a')).toBeUndefined()
  expect(await second.findUnanswered('a')).toMatchObject({ fingerprint: 'fingerprint of a', answer })
  expect(await second.findUnanswered('b')).toMatchObject({ answer: { ok: false, uncertain: true } })
})

test('many entries go soon after their window, although one among them waits for its answer', async () => {
  using state = testStateDir()
  const journal = state.open()
  for (let n = 0; n < 1_200; n++) await journal.recordAnswer(calledIdempotent(`id-${n}`), answer, windowMs)
  state.unanswered.add('id-0')
  journal.clock.advance(windowMs + minuteMs + 1_000)
  await journal.close()
  expect(state.ids()).toEqual(['id-0'])
})

test('an id that is noted again just when its old entry goes is not lost with it', async () => {
  using state = testStateDir()
  const journal = state.open()
  await journal.recordAnswer(called('a'), answer, windowMs)
  journal.clock.advance(windowMs + 1)
  const noted = journal.recordIntent(called('a'))
  journal.clock.advance(minuteMs)
  await noted
  await journal.close()
  expect(state.ids()).toEqual(['a'])
})

test('an answer keeps what is left of its window over several restarts and goes after it', async () => {
  using state = testStateDir()
  const first = state.open()
  await first.recordAnswer(called('a'), answer, windowMs)
  await first.close()
  for (const passedMinutes of [3, 6, 9]) {
    await using journal = state.open(laterClock(passedMinutes * minuteMs))
    expect(await journal.find('a')).toMatchObject({ answer })
    await journal.recordAnswer(called(`later ${passedMinutes}`), answer, windowMs)
  }
  const last = state.open(laterClock(9.5 * minuteMs))
  expect(await last.find('a')).toBeDefined()
  last.clock.advance(minuteMs)
  expect(await last.find('a')).toBeUndefined()
  expect(await last.find('later 3')).toBeDefined()
  await last.close()
  expect(state.ids()).toEqual(['later 3', 'later 6', 'later 9'])
})

test('a wall clock that was set back gives one window in all, however often the agent starts', async () => {
  using state = testStateDir()
  const first = state.open()
  await first.recordAnswer(called('a'), answer, windowMs)
  await first.close()
  for (const passedMinutes of [0, 4, 8]) {
    await using journal = state.open(laterClock(passedMinutes * minuteMs - 86_400_000))
    expect(await journal.find('a')).toBeDefined()
  }
  await using last = state.open(laterClock(11 * minuteMs - 86_400_000))
  expect(await last.find('a')).toBeUndefined()
})

test('a start writes nothing for entries that only grew older', async () => {
  using state = testStateDir()
  const first = state.open()
  const long: CallAnswer = { ok: true, dataText: JSON.stringify('x'.repeat(400)) }
  for (let n = 0; n < 2_000; n++) await first.recordAnswer(calledIdempotent(`id-${n}`), long, windowMs)
  await first.close()
  await using second = state.open(laterClock(minuteMs))
  const written = statSync(join(state.dir, 'journal.db-wal'), { throwIfNoEntry: false })?.size ?? 0
  expect(written).toBeLessThan(65_536)
  expect(await second.find('id-1999')).toMatchObject({ answer: long })
})

test('a journal keeps its name for life, and another one has another', async () => {
  using state = testStateDir()
  using other = testStateDir()
  const first = state.open()
  const { name } = first
  await first.close()
  await using second = state.open()
  await using foreign = other.open()
  expect(second.name).toBe(name)
  expect(foreign.name).not.toBe(name)
  expect(name).toMatch(/^[0-9a-f-]{36}$/)
})

test('a wall clock that is set while the agent runs neither ends nor prolongs a window over the restart', async () => {
  const dayMs = 86_400_000
  for (const setByMs of [dayMs, -dayMs]) {
    using state = testStateDir()
    const first = state.open()
    await first.recordAnswer(called('before'), answer, windowMs)
    first.clock.wallOffsetMs += setByMs
    await first.recordAnswer(called('after'), answer, windowMs)
    await first.close()
    await using second = state.open(laterClock(setByMs + 5 * minuteMs))
    for (const id of ['before', 'after']) expect(await second.find(id)).toMatchObject({ answer })
    second.clock.advance(5 * minuteMs)
    for (const id of ['before', 'after']) expect(await second.find(id)).toBeUndefined()
  }
})
