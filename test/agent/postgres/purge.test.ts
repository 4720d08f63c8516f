import { expect, test } from 'vitest'
import { keyOfItem } from '../../../agent/call/call.ts'
import type { Clock } from '../../../agent/clock/clock.ts'
import { systemClock } from '../../../agent/clock/system-clock.ts'
import { startPurging } from '../../../agent/postgres/purge-calls.ts'
import { noteLongItem, storable, storableKey } from '../../../agent/postgres/storable.ts'
import { sharedPostgres } from '../../programs/shared-postgres.ts'
import { openStoreAgent } from '../fixtures/store-agent.ts'
import { newDatabase } from '../fixtures/store-database.ts'

const server = await sharedPostgres()
const weekMs = 7 * 24 * 3_600_000

/** An agent and one round of its purge, without the next one. */
async function purgingAgent(isUnanswered: (id: string) => boolean = () => false) {
  const agent = await openStoreAgent(server, await newDatabase(server))
  const { database } = agent
  const idsLeft = async () => (await database.query('SELECT id FROM market_agent.call ORDER BY id')).map(({ id }) => id)
  return {
    agent,
    idsLeft,
    purge() {
      const timers: (() => void)[] = []
      const after: Clock['after'] = (_, act) => {
        timers.push(act)
        return () => undefined
      }
      const clock = { monotonicMs: () => systemClock.monotonicMs(), after } as Clock
      startPurging({ clock, database, agentName: 'a', isUnanswered })
      timers[0]?.()
    },
  }
}

test('one round deletes every id whose time has ended, however many, except those of requests without an answer', async () => {
  const { agent, idsLeft, purge } = await purgingAgent((id) => id.startsWith('unanswered'))
  await agent.database.query(
    `INSERT INTO market_agent.call (id, fingerprint, operation, agent, in_doubt, answer, ends_at_ms)
       SELECT CASE WHEN n <= 1000 THEN 'unanswered ' ELSE 'id ' END || n, 'f', 'market.adjust-stock', 'a', false, '{}',
         CASE WHEN n <= 1000 THEN 1 ELSE 2 END FROM generate_series(1, 3500) AS n`,
  )
  purge()
  await expect.poll(async () => (await idsLeft()).length).toBe(1_000)
  expect((await idsLeft())[0]).toMatch(/^unanswered/)
  await agent.close()
})

test('the whole name of an item is forgotten a week after its last note, unless something of the item may still be sent', async () => {
  const { agent, purge } = await purgingAgent()
  const { database } = agent
  const [old, needed, recent] = ['a', 'b', 'c'].map((text) => text.repeat(2_000)) as [string, string, string]
  const note = (item: string) => noteLongItem((sql, values) => database.query(sql, values), item)
  for (const item of [old, needed, recent]) await note(item)
  await database.query('UPDATE market_agent.long_item SET noted_at_ms = noted_at_ms - $1::bigint', [weekMs + 1_000])
  await note(recent)
  await database.query('INSERT INTO market_agent.repair (key, quantity, due_at_ms) VALUES ($1, 1, 0)', [
    storableKey(keyOfItem(needed)),
  ])
  purge()
  const left = async () => (await database.query('SELECT short FROM market_agent.long_item')).map(({ short }) => short)
  await expect.poll(async () => (await left()).length).toBe(2)
  expect((await left()).sort()).toEqual([needed, recent].map(storable).sort())
  await agent.close()
})
