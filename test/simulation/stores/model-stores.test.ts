import { testJournal } from './journal-contract.ts'
import { testLedger } from './ledger-contract.ts'
import { modelJournalOnDisk, modelLedgerOnDisk } from './model-on-disk.ts'

testJournal('model', modelJournalOnDisk)
testLedger('model', modelLedgerOnDisk)
