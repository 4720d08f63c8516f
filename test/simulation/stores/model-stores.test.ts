import { testJournal, testJournalOfOneAgent } from './journal-contract.ts'
import { testLedger } from './ledger-contract.ts'
import { modelJournalOnDisk, modelLedgerOnDisk } from './model-on-disk.ts'
import { storeUnderTest } from './store-under-test.ts'
import { virtualHost } from './virtual-host.ts'

testJournal('model', () => storeUnderTest(modelJournalOnDisk(), virtualHost()))
testJournalOfOneAgent('model', () => storeUnderTest(modelJournalOnDisk(), virtualHost()))
testLedger('model', () => storeUnderTest(modelLedgerOnDisk(), virtualHost()))
