import { afterAll } from 'vitest'
import { openSharedStore } from '../../../agent/postgres/shared-store.ts'
import { openStoreAgent } from '../../agent/fixtures/store-agent.ts'
import { newDatabase } from '../../agent/fixtures/store-database.ts'
import { testJournal } from './journal-contract.ts'
import { testLedger } from './ledger-contract.ts'
import { postgresUnderTest, startCrashableServer } from './postgres-on-disk.ts'
import { testTurns } from './turns-contract.ts'

const server = await startCrashableServer()
afterAll(() => server[Symbol.asyncDispose]())

const agent = {
  ...{ name: 'a', stateId: 'of a', stateDirId: 'dir of a', world: '', isStandby: false },
  ...{ attemptLifetimeMs: 32_000, onTakeOver: () => undefined },
}

testJournal('PostgreSQL', () =>
  postgresUnderTest(server, async (database, parts) => {
    const { journal } = await openSharedStore({ ...parts, ...agent, database })
    return journal
  }),
)

testLedger('PostgreSQL', () =>
  postgresUnderTest(server, async (database, parts) => {
    const { journal, openLedger } = await openSharedStore({ ...parts, ...agent, isUnanswered: () => false, database })
    const ledger = openLedger({ ...parts, onUnregistered: () => undefined })
    const close = async () => {
      await ledger.close()
      await journal.close()
    }
    return { ...ledger, close }
  }),
)

testTurns('PostgreSQL', async () => {
  const { turns, close } = await openStoreAgent(server, await newDatabase(server))
  return Object.assign(turns, { [Symbol.asyncDispose]: close })
})
