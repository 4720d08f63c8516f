import { expect, onTestFinished, test } from 'vitest'
import { connectToStore } from '../../../agent/postgres/connect.ts'
import type { Query } from '../../../agent/postgres/database.ts'
import { prepareSchema } from '../../../agent/postgres/prepare-schema.ts'
import { sharedPostgres } from '../../programs/shared-postgres.ts'
import { newDatabase, urlOfDatabase } from '../fixtures/store-database.ts'

const server = await sharedPostgres()
const rounds = 10
const keys = Array.from({ length: 100 }, (_, n) => `itemRef sword-${n}`)

/** Three agents as the store sees them. The third one has the turn of each key, and the others wait for it. */
async function waitingAgents() {
  const url = urlOfDatabase(server, await newDatabase(server))
  const connect = async (connection: string): Promise<Query> => {
    const options = { ca: undefined, timeoutMs: 10_000, applicationName: 'test' }
    const { client, end } = await connectToStore(url, options, () => undefined)
    onTestFinished(end)
    await client.query(`SELECT set_config('market_agent.connection', $1, false)`, [connection])
    return async (sql, values = []) => (await client.query(sql, [...values])).rows
  }
  const admin = await connect('admin')
  await prepareSchema(admin)
  await admin('SELECT market_agent.hear()')
  const begin = async (name: string) => {
    let query = await connect(name)
    const sql = 'SELECT epoch FROM market_agent.begin_epoch($1, $1, $1, $2, false, 43000, $2, NULL)'
    const epoch = (await query(sql, [name, '']))[0]?.['epoch']
    return {
      async enter(wanted: readonly string[]) {
        for (const key of wanted) await query('SELECT FROM market_agent.enter($1, $2, NULL)', [epoch, key])
      },
      async expectReports() {
        for (const key of keys) await query('SELECT FROM market_agent.expect_report($1, $2, 60000)', [epoch, key])
      },
      renew: () => query('SELECT market_agent.renew($1)', [epoch]),
      /** Opens its next session. @returns Reconnects with that one, as an agent that knows none of its turns. */
      async prepareReconnection(round: number) {
        const next = await connect(`${name} ${round}`)
        return async () => {
          query = next
          await query('SELECT market_agent.reconnect($1, $2, $3, $3)', [epoch, name, []])
        }
      },
    }
  }
  const [a, b, c] = [await begin('a'), await begin('b'), await begin('c')]
  await c.enter(keys)
  await c.expectReports()
  return { a, b, admin }
}

test('agents that reconnect at the same moment never wait for each other in a circle', async () => {
  const { a, b } = await waitingAgents()
  for (let round = 1; round <= rounds; round++) {
    await a.enter(keys)
    await b.enter(keys.toReversed())
    const reconnect = [await a.prepareReconnection(round), await b.prepareReconnection(round)]
    await Promise.all(reconnect.map((act) => act()))
  }
})

test('an agent that reconnects and one that ends a break of the store never wait for each other in a circle', async () => {
  const { a, b, admin } = await waitingAgents()
  for (let round = 1; round <= rounds; round++) {
    await a.enter(keys)
    await admin('UPDATE market_agent.store SET heard_ms = heard_ms - 10000')
    const reconnect = await a.prepareReconnection(round)
    await Promise.all([reconnect(), b.renew()])
  }
  expect(await admin('SELECT FROM market_agent.ticket')).toHaveLength(keys.length)
})
