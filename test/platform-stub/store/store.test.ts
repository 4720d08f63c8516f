import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { openDatabase } from '../../../platform-stub/store/open.ts'
import { replaysKeptMin } from '../../../platform-stub/store/replay-rows.ts'
import { applicationId, migrations } from '../../../platform-stub/store/schema.ts'
import { prepareTables } from '../../../platform-stub/store/tables.ts'
import { diskFull, makeTransact } from '../../../platform-stub/store/transact.ts'
import { temporaryFolder } from '../fixtures/process.ts'

/** Transactions over a table of notes, and what was called. */
function notes(schema = 'create table notes (text text unique) strict') {
  const database = new DatabaseSync(':memory:')
  database.exec(`pragma foreign_keys = on; ${schema}`)
  const calls: string[] = []
  const transact = makeTransact(database, {
    onCommitted: () => calls.push('committed'),
    onBroken: () => calls.push('broken'),
  })
  const write = database.prepare('insert into notes values (?)')
  const texts = () =>
    database
      .prepare('select text from notes')
      .all()
      .map((row) => row['text'])
  return { database, transact, calls, write: (text: string) => void write.run(text), texts }
}

test('a commit outlives the process, and no other process may open the database meanwhile', async () => {
  await using folder = await temporaryFolder()
  const database = openDatabase(folder.path)
  const pragma = (name: string) => Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0]
  expect([pragma('journal_mode'), pragma('synchronous'), pragma('foreign_keys')]).toEqual(['wal', 1, 1])
  expect(() => openDatabase(folder.path)).toThrow('is in use by another platform-stub')
  database.close()
  openDatabase(folder.path).close()
  const header = new DatabaseSync(join(folder.path, 'platform.db'), { readOnly: true })
  expect(header.prepare('pragma user_version').get()?.['user_version']).toBe(migrations.length)
  header.close()
})

test('what a transaction returns is committed already', () => {
  const { database, transact, calls, write, texts } = notes()
  const result = transact(() => {
    write('a')
    calls.push('worked')
    return 7
  })
  expect([result, calls, texts(), database.isTransaction]).toEqual([7, ['worked', 'committed'], ['a'], false])
})

test('what the work throws undoes all of it and nothing else', () => {
  const { transact, calls, write, texts } = notes()
  transact(() => write('a'))
  const twice = () => {
    write('b')
    write('a')
  }
  expect(() => transact(twice)).toThrow('UNIQUE')
  transact(() => write('c'))
  expect([texts(), calls]).toEqual([
    ['a', 'c'],
    ['committed', 'committed'],
  ])
})

test('a disk that is full is a value, undoes the work, and passes', () => {
  const { database, transact, calls, write, texts } = notes()
  database.exec('pragma max_page_count = 8')
  const large = 'x'.repeat(100_000)
  const tooMuch = () => {
    write('small')
    write(large)
  }
  expect(transact(tooMuch)).toBe(diskFull)
  expect([texts(), calls]).toEqual([[], []])
  transact(() => write('small'))
  expect([texts(), calls]).toEqual([['small'], ['committed']])
})

test('a commit that fails in another way is reported and thrown, and none of it has happened', () => {
  const { transact, calls, write, texts } = notes(
    `create table people (id integer primary key) strict;
     create table notes (text text references people deferrable initially deferred)`,
  )
  expect(() => transact(() => write('7'))).toThrow('could not commit')
  expect([texts(), calls]).toEqual([[], ['broken']])
  expect(transact(() => 'goes on')).toBe('goes on')
})

/** The memory of jtis in a database of its own. */
function memoryOfJtis(database = openDatabase(null)) {
  const { replays } = prepareTables(database, () => undefined)
  const stored = () =>
    database
      .prepare('select jti from replays order by id')
      .all()
      .map(({ jti }) => String(jti))
  return { database, replays, stored }
}

test('a jti is new once for each kid, and known after a restart', async () => {
  await using folder = await temporaryFolder()
  const first = memoryOfJtis(openDatabase(folder.path))
  expect([first.replays.record('kid', 'a', 9, 1), first.replays.record('kid', 'a', 9, 1)]).toEqual([true, false])
  first.database.close()
  const later = memoryOfJtis(openDatabase(folder.path))
  expect([later.replays.record('kid', 'a', 9, 1), later.replays.record('other', 'a', 9, 1)]).toEqual([false, true])
  later.database.close()
})

test('a jti may be used again after its exp, and then no earlier envelope fits, whatever the clock says', () => {
  const { replays } = memoryOfJtis()
  expect(replays.record('kid', 'a', 10, 5)).toBe(true)
  expect(replays.record('kid', 'a', 20, 9.9)).toBe(false)
  expect(replays.record('kid', 'a', 20, 10)).toBe(true)
  for (const nowS of [5, 9.9, 15]) expect(replays.record('kid', 'a', 10, nowS)).toBe(false)
  expect(replays.record('kid', 'a', 20, 5)).toBe(false)
})

test('expired jtis are forgotten oldest first, and the newest stay known for a clock that is set back', () => {
  const { database, replays, stored } = memoryOfJtis()
  const kept = replaysKeptMin
  const jtis = Array.from({ length: kept + 1_200 }, () => randomUUID())
  database.exec('begin')
  for (const jti of jtis) replays.record('kid', jti, 30, 0)
  database.exec('commit')
  expect(replays.isLong()).toBe(true)
  replays.forgetExpired(29)
  expect(stored()).toEqual(jtis)
  replays.forgetExpired(30)
  expect(stored()).toEqual(jtis.slice(-kept))
  expect(replays.record('kid', jtis.at(-1) ?? '', 30, 0)).toBe(false)
})

test('an envelope that lives longer, or in a time that the clock came back from, keeps no expired jti from being forgotten', () => {
  const { database, replays, stored } = memoryOfJtis()
  const filler = Array.from({ length: replaysKeptMin }, (_, n) => `filler-${n}`)
  database.exec('begin')
  replays.record('kid', 'long-lived', 500, 0)
  replays.record('kid', 'of-next-year', 31_536_000, 31_535_990)
  for (let n = 0; n < 600; n++) replays.record('kid', `short-${n}`, 30, 0)
  for (const jti of filler) replays.record('kid', jti, 30, 0)
  database.exec('commit')
  replays.forgetExpired(31)
  expect(stored()).toEqual(['long-lived', ...filler])
})

test('a database of an earlier version keeps its jtis', async () => {
  await using folder = await temporaryFolder()
  const older = new DatabaseSync(join(folder.path, 'platform.db'))
  for (const migration of migrations.slice(0, 2)) older.exec(migration)
  older.exec(`
    insert into replays (kid, jti, exp) values ('kid', 'a', 10), ('kid', 'b', 20), ('kid', 'a', 30);
    pragma application_id = ${applicationId};
    pragma user_version = 2;
  `)
  older.close()
  const { database, replays, stored } = memoryOfJtis(openDatabase(folder.path))
  expect(stored()).toEqual(['a', 'b'])
  expect([replays.record('kid', 'a', 40, 29), replays.record('kid', 'a', 40, 30)]).toEqual([false, true])
  database.close()
})
