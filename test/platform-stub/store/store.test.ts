import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pino from 'pino'
import { expect, test } from 'vitest'
import { StubClock } from '../../../platform-stub/clock/clock.ts'
import { forgetExpiredReplays } from '../../../platform-stub/partner-api/forget-replays.ts'
import { GroupCommit } from '../../../platform-stub/store/group-commit.ts'
import { openDatabase } from '../../../platform-stub/store/open.ts'
import { prepareTables } from '../../../platform-stub/store/tables.ts'
import { manualTime } from '../fixtures/manual-time.ts'
import { temporaryFolder } from '../fixtures/process.ts'

/** A store over a table of notes, and what it told of its commits. */
function notes(schema = 'create table notes (text text unique) strict') {
  const database = new DatabaseSync(':memory:')
  database.exec(`pragma foreign_keys = on; ${schema}`)
  const told: string[] = []
  const store = new GroupCommit(database, {
    committed: () => told.push('committed'),
    undone: () => told.push('undone'),
    failed: ({ isDiskFull }) => told.push(isDiskFull ? 'failed: disk full' : 'failed'),
  })
  const write = database.prepare('insert into notes values (?)')
  const texts = () =>
    database
      .prepare('select text from notes')
      .all()
      .map((row) => row['text'])
  return { database, store, told, write: (text: string) => void write.run(text), texts }
}

test('a commit outlives the process, and nobody else may open the database meanwhile', async () => {
  await using folder = await temporaryFolder()
  const database = openDatabase(folder.path)
  const pragma = (name: string) => Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0]
  expect([pragma('journal_mode'), pragma('synchronous'), pragma('foreign_keys')]).toEqual(['wal', 1, 1])
  expect(() => openDatabase(folder.path)).toThrow('is in use by another platform-stub')
  database.close()
  openDatabase(folder.path).close()
  const header = new DatabaseSync(join(folder.path, 'platform.db'), { readOnly: true })
  expect(header.prepare('pragma user_version').get()?.['user_version']).toBe(2)
  header.close()
})

test('pieces of one turn share a commit, and each is answered after it', async () => {
  const { store, told, write, texts } = notes()
  const pieces = ['a', 'b', 'c'].map((text) => store.transact(() => write(text)).then(() => told.push(text)))
  await Promise.all(pieces)
  expect(told).toEqual(['committed', 'a', 'b', 'c'])
  expect(texts()).toEqual(['a', 'b', 'c'])
})

test('pieces that come a turn later share the commit, and one that is alone waits for nobody', async () => {
  const { store, told, write } = notes()
  const first = ['a', 'b'].map((text) => store.transact(() => write(text)))
  const later = new Promise<void>((resolve) => setImmediate(() => resolve(store.transact(() => write('c')))))
  await Promise.all([...first, later])
  expect(told).toEqual(['committed'])
  const alone = store.transact(() => write('d')).then(() => told.push('d'))
  setImmediate(() => told.push('the next turn'))
  await alone
  expect(told).toEqual(['committed', 'committed', 'd'])
})

test('a piece that fails is undone whole and spoils no other of its group', async () => {
  const { store, write, texts } = notes()
  const outcomes = await Promise.allSettled([
    store.transact(() => write('a')),
    store.transact(() => {
      write('b')
      write('a')
    }),
    store.transact(() => write('c')),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(texts()).toEqual(['a', 'c'])
})

test('whoever keeps something in memory is told what has not happened before it runs again', async () => {
  const { store, told, write } = notes()
  const piece = (text: string) => () => {
    told.push(text)
    write(text)
  }
  const refused = () => {
    piece('b')()
    throw new Error('refused')
  }
  await Promise.allSettled([piece('a'), refused, piece('c')].map((work) => store.transact(work)))
  expect(told).toEqual(['a', 'b', 'undone', 'a', 'committed', 'b', 'undone', 'c', 'committed'])
})

test('a disk that fills in the middle of a piece is told as that to its whole group', async () => {
  const { database, store, told, write, texts } = notes()
  database.exec('pragma max_page_count = 8')
  const large = 'x'.repeat(100_000)
  const outcomes = await Promise.allSettled([
    store.transact(() => write('small')),
    store.transact(() => store.undoable(() => write(large))),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(told).toEqual(['undone', 'failed: disk full'])
  expect(texts()).toEqual([])
  await store.transact(() => write('small'))
  expect(texts()).toEqual(['small'])
})

test('a part can be undone while the rest of its piece stays', async () => {
  const { store, write, texts } = notes()
  await store.transact(() => {
    write('kept')
    expect(() =>
      store.undoable(() => {
        write('undone')
        throw new Error('refused')
      }),
    ).toThrow('refused')
  })
  expect(texts()).toEqual(['kept'])
})

test('when a commit fails, nobody of its group is told that it has happened', async () => {
  const deferred = 'create table people (id integer primary key) strict;'
  const { store, told, write, texts } = notes(
    `${deferred} create table notes (text text references people deferrable initially deferred)`,
  )
  const outcomes = await Promise.allSettled([store.transact(() => 1), store.transact(() => write('7'))])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(told).toEqual(['undone', 'failed'])
  expect(texts()).toEqual([])
  expect(await store.transact(() => 'goes on')).toBe('goes on')
})

test('what waits when the store closes is committed, and nothing is taken afterwards', async () => {
  const { store, write, texts } = notes()
  const last = store.transact(() => write('last'))
  store.close()
  await last
  expect(texts()).toEqual(['last'])
  await expect(store.transact(() => write('late'))).rejects.toThrow('closed')
})

test('a jti whose commit failed is new again; one that was committed is known after a restart', async () => {
  await using folder = await temporaryFolder()
  const database = openDatabase(folder.path)
  const { replays } = prepareTables(database, () => undefined)
  database.exec('begin')
  expect([replays.record('kid', 'a', 9), replays.record('kid', 'a', 9)]).toEqual([true, false])
  database.exec('rollback')
  replays.undone()
  expect(replays.record('kid', 'a', 9)).toBe(true)
  replays.committed()
  replays.undone()
  expect(replays.record('kid', 'a', 9)).toBe(false)
  database.close()

  const reopened = openDatabase(folder.path)
  const later = prepareTables(reopened, () => undefined).replays
  expect([later.record('kid', 'a', 9), later.record('other', 'a', 9)]).toEqual([false, true])
  reopened.close()
})

test('expired jtis are forgotten, oldest first, once both clocks are past them', async () => {
  const { time, pass } = manualTime()
  const clock = new StubClock(time, 0)
  const database = openDatabase(null)
  const tables = prepareTables(database, () => undefined)
  const store = new GroupCommit(database, {
    committed: () => undefined,
    undone: () => undefined,
    failed: () => undefined,
  })
  const count = () => Number(database.prepare('select count(*) as n from replays').get()?.['n'])
  const expS = time.nowMs() / 1_000 + 30
  for (let n = 0; n < 1_200; n++) tables.replays.record('kid', randomUUID(), expS)
  const log = pino({ level: 'silent' })
  const end = forgetExpiredReplays({ tables, log, transact: (work) => store.transact(work) }, clock)
  /** One round of forgetting, to its end: as many transactions as it can need. */
  const round = async () => {
    pass(1_000)
    for (let n = 0; n < 5; n++) await store.transact(() => undefined)
  }
  clock.runFrom(clock.nowMs() + 3_600_000)
  await round()
  expect(count()).toBe(1_200)
  pass(30_000)
  await round()
  expect(count()).toBe(0)
  end()
})
