import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { openSqliteJournal } from '../../../agent/journal/sqlite-journal.ts'
import { openSqliteOrderLedger } from '../../../agent/orders/sqlite-order-ledger.ts'
import { testJournal } from './journal-contract.ts'
import { testLedger } from './ledger-contract.ts'
import type { Journal } from './model-journal.ts'
import { modelJournalOnDisk } from './model-on-disk.ts'
import { sqliteOnDisk } from './sqlite-on-disk.ts'
import { type StoreOnDisk, type StoreSession, storeUnderTest } from './store-under-test.ts'

vi.mock('node:fs', async (original) => {
  const { withSyncs } = await import('./syncs.ts')
  return withSyncs(await original<typeof import('node:fs')>())
})

const sqliteJournalOnDisk = () =>
  sqliteOnDisk('journal.db', (stateDir, parts) => openSqliteJournal({ ...parts, stateDir }), 'ballast')
const sqliteLedgerOnDisk = () =>
  sqliteOnDisk('orders.db', (stateDir, parts) => openSqliteOrderLedger({ ...parts, stateDir }))

testJournal('SQLite', sqliteJournalOnDisk)
testLedger('SQLite', sqliteLedgerOnDisk)

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

async function take([kind, ...values]: Step, { store: journal, ...session }: StoreSession<Journal>): Promise<unknown> {
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
async function transcriptOf(onDisk: StoreOnDisk<Journal>, script: Processes): Promise<string[]> {
  using disk = storeUnderTest(onDisk)
  for (const id of ids) disk.unanswered.add(id)
  const lines: string[] = []
  for (const { steps, end, minutesAfter } of script) {
    await disk.run(async (session) => {
      for (const step of [undefined, ...steps]) {
        const failure = step && (await take(step, session).then(() => 'done', String))
        const found = await Promise.all(ids.map((id) => session.store.find(id)))
        const repairs = (await session.store.findRepairs()).map(({ itemRef, quantity }) => `${itemRef} ${quantity}`)
        lines.push(JSON.stringify([step, failure, found.map((entry) => entry?.answer ?? null), repairs.sort()]))
      }
      session.setFull(false)
    }, end)
    await disk.passBetween(passedMs(minutesAfter))
  }
  return lines
}

test('whatever processes do with a journal, and however they end, the model shows them what SQLite does', async () => {
  await fc.assert(
    fc.asyncProperty(processes, async (script) => {
      expect(await transcriptOf(modelJournalOnDisk(), script)).toEqual(
        await transcriptOf(sqliteJournalOnDisk(), script),
      )
    }),
    { numRuns: 40 },
  )
})
