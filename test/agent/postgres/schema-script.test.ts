import { expect, test } from 'vitest'
import { connectToStore } from '../../../agent/postgres/connect.ts'
import { Database } from '../../../agent/postgres/database.ts'
import { prepareSchema } from '../../../agent/postgres/prepare-schema.ts'
import { sharedPostgres } from '../../programs/shared-postgres.ts'
import { commandOutput } from '../fixtures/command-output.ts'
import { databaseOptions, newDatabase, urlOfDatabase } from '../fixtures/store-database.ts'
import { StoreProcesses } from '../fixtures/store-processes.ts'

test('an administrator makes the schema with the printed script; a user without other rights works with it', async () => {
  const server = await sharedPostgres()
  const name = await newDatabase(server)
  const user = `limited "user" ${process.pid}`
  const { code, stdout } = await commandOutput(['store', 'schema', '--user', user], {})
  expect(code).toBe(0)
  const { client, end } = await connectToStore(
    urlOfDatabase(server, name),
    { ca: undefined, timeoutMs: 60_000, applicationName: 'test' },
    () => undefined,
  )
  await client.query(`CREATE USER "${user.replaceAll('"', '""')}"`)
  await client.query(stdout)
  await end()
  await using hosts = await StoreProcesses.start(name)
  const { agent } = await hosts.spawn('a', {
    SERVICE_STORE_URL: hosts.urlAt(server.port, encodeURIComponent(user)),
  })
  const eligible = { characterRef: 'c' }
  expect(await agent.call('market.eligibility', eligible, 'one')).toMatchObject({ ok: true })
  expect(await agent.call('market.eligibility', eligible, 'one')).toMatchObject({ ok: true, replayed: true })
  const other = await Database.open(
    databaseOptions(urlOfDatabase(server, name), { prepare: (query) => prepareSchema(query) }),
  )
  expect(await other.query('SELECT version FROM market_agent.store')).toEqual([{ version: 1 }])
  await other.close()
})

test('a user works with the printed schema also where nobody may execute functions without being told', async () => {
  const server = await sharedPostgres()
  const name = await newDatabase(server)
  const user = `told_${process.pid}`
  const { stdout } = await commandOutput(['store', 'schema', '--user', user], {})
  const options = { ca: undefined, timeoutMs: 60_000, applicationName: 'test' }
  const { client, end } = await connectToStore(urlOfDatabase(server, name), options, () => undefined)
  await client.query(`CREATE USER ${user}; ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC`)
  await client.query(`BEGIN; ${stdout} COMMIT`)
  await end()
  const database = await Database.open(databaseOptions({ ...urlOfDatabase(server, name), user }))
  expect(await database.query('SELECT market_agent.is_steady() AS is_steady')).toEqual([{ is_steady: false }])
  await database.close()
})
