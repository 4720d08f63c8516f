import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StatementSync } from 'node:sqlite'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { openSqliteJournal } from '../../../agent/journal/sqlite-journal.ts'
import { testJournal } from './journal-contract.ts'
import { type JournalOnDisk, type JournalSession, journalUnderTest, modelJournalOnDisk } from './journal-under-test.ts'

/** What a sync of the journal does. It takes virtual time, so the one of Node is not called. */
const syncs = vi.hoisted(() => ({ begin: (_done: () => void): void => undefined }))

vi.mock('node:fs', async (original) => ({
  ...(await original<typeof import('node:fs')>()),
  fsync: (_fd: number, callback: (error: null) => void) => syncs.begin(() => callback(null)),
}))

/** SQLite finds no room while this says so: dropping the ballast makes room. */
const fullDisk = { isFull: () => false }
const { run } = StatementSync.prototype
vi.spyOn(StatementSync.prototype, 'run').mockImplementation(function (this: StatementSync, ...values) {
  if (fullDisk.isFull())
    throw Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 })
  return run.apply(this, values)
})

/**
 * A journal in real files. A kill leaves the files as they are at that moment: what SQLite has written is in them, what it
 * has in memory is not. A power cut leaves them as they were when the last sync that ended began. This shows which commits
 * the agent has synced before it goes on. That SQLite reads such files well, and that a disk keeps what it was told to
 * sync, is theirs to prove.
 */
function sqliteJournal(): JournalOnDisk {
  const root = mkdtempSync(join(tmpdir(), 'journal-contract-'))
  let copies = 0
  const newDir = () => {
    const dir = join(root, String(++copies))
    mkdirSync(dir)
    return dir
  }
  const copyOf = (from: string): string => {
    const dir = newDir()
    for (const file of ['journal.db', 'journal.db-wal'])
      if (existsSync(join(from, file))) copyFileSync(join(from, file), join(dir, file))
    return dir
  }
  let dir = newDir()
  /** What a power cut leaves. The agent syncs the database when it makes it. */
  let synced: string | undefined
  return {
    open({ process, ...parts }) {
      syncs.begin = (done) => {
        const copy = copyOf(dir)
        void process
          .enterSlowly('fsync', 5, () => {
            synced = copy
          })
          .then(done)
      }
      const journal = openSqliteJournal({ stateDir: dir, ...parts })
      synced ??= copyOf(dir)
      return journal
    },
    crash(how) {
      const left = copyOf(how === 'kill' ? dir : (synced ?? dir))
      // It is 4 MB, and of no interest here.
      if (existsSync(join(dir, 'ballast'))) renameSync(join(dir, 'ballast'), join(left, 'ballast'))
      dir = left
    },
    setFull(value) {
      fullDisk.isFull = () => value && existsSync(join(dir, 'ballast'))
    },
    dispose: () => rmSync(root, { recursive: true }),
  }
}

testJournal('SQLite', () => journalUnderTest(sqliteJournal()))

const ids = ['a', 'b', 'c'] as const
const anId = fc.constantFrom(...ids)
const operation = fc.constantFrom('transaction.create', 'market.adjust-stock', 'market.register.envelope')
const stepsOfOneProcess = fc.array(
  fc.oneof(
    fc.tuple(fc.constant('intent' as const), anId, operation),
    fc.tuple(fc.constant('answer' as const), anId, operation, fc.nat()),
    fc.tuple(fc.constantFrom('release' as const, 'forget' as const), anId),
    fc.tuple(fc.constant('repair' as const), anId, fc.nat()),
    fc.tuple(fc.constant('repaired' as const), anId),
    fc.tuple(fc.constant('pass' as const), fc.nat(12)),
    fc.tuple(fc.constant('set clock' as const), fc.integer({ min: -60, max: 60 })),
    fc.tuple(fc.constant('full' as const), fc.boolean()),
  ),
  { maxLength: 12 },
)
const processes = fc.array(
  fc.record({
    steps: stepsOfOneProcess,
    end: fc.constantFrom('close' as const, 'kill' as const, 'power cut' as const),
    minutesAfter: fc.nat(12),
  }),
  { minLength: 1, maxLength: 5 },
)
type Processes = typeof processes extends fc.Arbitrary<infer Value> ? Value : never
type Step = Processes[number]['steps'][number]

/** Never at the border of a window: a window is a number of minutes. */
const passedMs = (minutes: number) => minutes * 60_000 + 1_000

async function take([kind, ...values]: Step, { journal, ...session }: JournalSession): Promise<unknown> {
  const [id, second, third] = values as [string, string, number]
  const call = { id, fingerprint: `of ${id}`, operationName: second }
  switch (kind) {
    case 'intent':
      return journal.recordIntent(call)
    case 'answer':
      return journal.recordAnswer(call, { ok: true, dataText: String(third) }, 600_000)
    case 'release':
      return journal.release(id)
    case 'forget':
      return journal.forgetEnded(id)
    case 'repair':
      return journal.noteRepair({ itemRef: id, quantity: values[1] as number, dueInMs: 30_000 })
    case 'repaired':
      return journal.removeRepair(id)
    case 'pass':
      return session.pass(passedMs(values[0] as number))
    case 'set clock':
      return session.setWallClock(passedMs(values[0] as number))
    case 'full':
      return session.setFull(values[0] as boolean)
  }
}

/** Everything that the processes could see. */
async function transcriptOf(disk: JournalOnDisk, script: Processes): Promise<string[]> {
  using store = journalUnderTest(disk)
  for (const id of ids) store.unanswered.add(id)
  const lines: string[] = []
  for (const { steps, end, minutesAfter } of script) {
    await store.run(async (session) => {
      for (const step of [undefined, ...steps]) {
        const failure = step && (await take(step, session).then(() => 'done', String))
        const found = await Promise.all(ids.map((id) => session.journal.find(id)))
        const repairs = (await session.journal.findRepairs()).map(({ itemRef, quantity }) => `${itemRef} ${quantity}`)
        lines.push(JSON.stringify([step, failure, found.map((entry) => entry?.answer ?? null), repairs.sort()]))
      }
      session.setFull(false)
    }, end)
    await store.passBetween(passedMs(minutesAfter))
  }
  return lines
}

test('whatever processes do with a journal, and however they end, the model shows them what SQLite does', async () => {
  await fc.assert(
    fc.asyncProperty(processes, async (script) => {
      expect(await transcriptOf(modelJournalOnDisk(), script)).toEqual(await transcriptOf(sqliteJournal(), script))
    }),
    { numRuns: 60 },
  )
})
