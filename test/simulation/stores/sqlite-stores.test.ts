import { expect, test, vi } from 'vitest'
import { openSqliteJournal } from '../../../agent/journal/sqlite-journal.ts'
import { openSqliteOrderLedger } from '../../../agent/orders/sqlite-order-ledger.ts'
import { testJournal } from './journal-contract.ts'
import { journalSteps, lookAtJournal } from './journal-steps.ts'
import { testLedger } from './ledger-contract.ts'
import { ledgerSteps, lookAtLedger } from './ledger-steps.ts'
import { modelJournalOnDisk, modelLedgerOnDisk } from './model-on-disk.ts'
import { sqliteOnDisk } from './sqlite-on-disk.ts'
import { transcriptOf } from './transcript.ts'

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

const seeds = Array.from({ length: 40 }, (_, n) => String(n))

test('whatever processes do with a journal, and however they end, the model shows them what SQLite does', async () => {
  for (const seed of seeds) {
    const [model, sqlite] = [modelJournalOnDisk(), sqliteJournalOnDisk()]
    const expected = await transcriptOf(seed, sqlite, journalSteps, lookAtJournal)
    expect(await transcriptOf(seed, model, journalSteps, lookAtJournal), `seed ${seed}`).toEqual(expected)
  }
})

test('whatever processes do with a ledger, and however they end, the model shows them what SQLite does', async () => {
  for (const seed of seeds) {
    const [model, sqlite] = [modelLedgerOnDisk(), sqliteLedgerOnDisk()]
    const expected = await transcriptOf(seed, sqlite, ledgerSteps, lookAtLedger)
    expect(await transcriptOf(seed, model, ledgerSteps, lookAtLedger), `seed ${seed}`).toEqual(expected)
  }
})
