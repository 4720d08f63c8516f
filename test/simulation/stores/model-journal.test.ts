import { testJournal } from './journal-contract.ts'
import { journalUnderTest, modelJournalOnDisk } from './journal-under-test.ts'

testJournal('model', () => journalUnderTest(modelJournalOnDisk()))
