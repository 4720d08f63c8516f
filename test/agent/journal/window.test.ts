import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { CallAnswer } from '../../../agent/call/answer.ts'
import { openSqliteJournal } from '../../../agent/journal/sqlite-journal.ts'
import { TestClock } from '../test-clock.ts'

const windowMs = 600_000
const minuteMs = 60_000
const answer: CallAnswer = { ok: true, dataText: '{"n": 1.50}' }
const called = (id: string) => ({ id, fingerprint: `fingerprint of ${id}`, operationName: 'transaction.create' })

/** One state directory, and journals that are opened in it one after another, each with a process's own clock. */
function stateDir() {
  const dir = mkdtempSync(join(tmpdir(), 'market-agent-journal-'))
  const unanswered = new Set<string>()
  return {
    dir,
    unanswered,
    open(clock = new TestClock()) {
      const broke = (error: Error) => {
        throw error
      }
      const journal = openSqliteJournal({ stateDir: dir, clock, isUnanswered: (id) => unanswered.has(id), broke })
      return Object.assign(journal, { clock, [Symbol.asyncDispose]: () => journal.close() })
    },
    /** What is in the table, once no journal is open. */
    ids(): unknown[] {
      using db = new DatabaseSync(join(dir, 'journal.db'), { readOnly: true })
      return db
        .prepare('SELECT id FROM call ORDER BY id')
        .all()
        .map(({ id }) => id)
    },
    [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }),
  }
}

/** The clock of a process that starts when `passedMs` have passed; its monotonic time begins anew. */
function laterClock(passedMs: number): TestClock {
  const clock = new TestClock()
  clock.wallOffsetMs += passedMs
  clock.advance(37)
  return clock
}

for (const [passedMs, isKept] of [
  [0, true],
  [windowMs - 2_000, true],
  [windowMs + 1, false],
] as const) {
  test(`${passedMs / 1000} s over a restart leave an answer ${isKept ? 'kept' : 'forgotten'}`, async () => {
    using state = stateDir()
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
  using state = stateDir()
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
  using state = stateDir()
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
  using state = stateDir()
  await using journal = state.open()
  await journal.recordAnswer(called('a'), answer, windowMs)
  journal.clock.wallOffsetMs -= 86_400_000
  journal.clock.advance(windowMs + 1)
  expect(await journal.find('a')).toBeUndefined()
})

test('entries go by themselves after their window, but not while their request is unanswered', async () => {
  using state = stateDir()
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
  using state = stateDir()
  const first = state.open()
  await first.recordAnswer(called('a'), answer, windowMs)
  await first.recordIntent(called('b'))
  await first.close()
  await using second = state.open(laterClock(86_400_000))
  expect(await second.find('a')).toBeUndefined()
  expect(await second.findUnanswered('a')).toMatchObject({ fingerprint: 'fingerprint of a', answer })
  expect(await second.findUnanswered('b')).toMatchObject({ answer: { ok: false, uncertain: true } })
})

test('a journal keeps its name for life, and another one has another', async () => {
  using state = stateDir()
  using other = stateDir()
  const first = state.open()
  const { name } = first
  await first.close()
  await using second = state.open()
  await using foreign = other.open()
  expect(second.name).toBe(name)
  expect(foreign.name).not.toBe(name)
  expect(name).toMatch(/^[0-9a-f-]{36}$/)
})
