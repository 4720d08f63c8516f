import { expect, test, vi } from 'vitest'
import { openSqliteJournal } from '../../../agent/journal/sqlite-journal.ts'
import { openSqliteOrderLedger } from '../../../agent/orders/sqlite-order-ledger.ts'
import { testJournal, testJournalOfOneAgent } from './journal-contract.ts'
import { journalSteps, lookAtJournal } from './journal-steps.ts'
import { testLedger } from './ledger-contract.ts'
import { ledgerSteps, lookAtLedger } from './ledger-steps.ts'
import { modelJournalOnDisk, modelLedgerOnDisk } from './model-on-disk.ts'
import { sqliteOnDisk } from './sqlite-on-disk.ts'
import { storeUnderTest } from './store-under-test.ts'
import { transcriptOf } from './transcript.ts'
import { virtualHost } from './virtual-host.ts'

vi.mock('node:fs', async (original) => {
  const { withSyncs } = await import('./syncs.ts')
  return withSyncs(await original<typeof import('node:fs')>())
})

const sqliteJournal = () => {
  const disk = sqliteOnDisk('journal.db', (stateDir, parts) => openSqliteJournal({ ...parts, stateDir }), 'ballast')
  return storeUnderTest(disk, virtualHost())
}
const sqliteLedger = () => {
  const disk = sqliteOnDisk('orders.db', (stateDir, parts) => openSqliteOrderLedger({ ...parts, stateDir }))
  return storeUnderTest(disk, virtualHost())
}
const modelJournal = () => storeUnderTest(modelJournalOnDisk(), virtualHost())
const modelLedger = () => storeUnderTest(modelLedgerOnDisk(), virtualHost())

testJournal('SQLite', sqliteJournal)
testJournalOfOneAgent('SQLite', sqliteJournal)
testLedger('SQLite', sqliteLedger)

const seeds = Array.from({ length: 40 }, (_, n) => String(n))

test('whatever processes do with a journal, and however they end, the model shows them what SQLite does', async () => {
  for (const seed of seeds) {
    const expected = await transcriptOf(seed, sqliteJournal, journalSteps, lookAtJournal)
    expect(await transcriptOf(seed, modelJournal, journalSteps, lookAtJournal), `seed ${seed}`).toEqual(expected)
  }
})

test('whatever processes do with a ledger, and however they end, the model shows them what SQLite does', async () => {
  for (const seed of seeds) {
    const expected = await transcriptOf(seed, sqliteLedger, ledgerSteps, lookAtLedger)
    expect(await transcriptOf(seed, modelLedger, ledgerSteps, lookAtLedger), `seed ${seed}`).toEqual(expected)
  }
})
