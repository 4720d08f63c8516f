import { expect, test } from 'vitest'
import { keyOfItem } from '../../../agent/call/call.ts'
import type { Clock } from '../../../agent/clock/clock.ts'
import { systemClock } from '../../../agent/clock/system-clock.ts'
import { startPurging } from '../../../agent/postgres/purge-calls.ts'
import { noteLongItem, storable, storableKey } from '../../../agent/postgres/storable.ts'
import { sharedPostgres } from '../../programs/shared-postgres.ts'
import { openStoreAgent, type StoreAgent } from '../fixtures/store-agent.ts'
import { newDatabase } from '../fixtures/store-database.ts'

const server = await sharedPostgres()
const weekMs = 7 * 24 * 3_600_000

const answer = { ok: true, dataText: '{}' } as const
const idsOf = async ({ database }: StoreAgent) =>
  (await database.query('SELECT id FROM market_agent.call ORDER BY id')).map(({ id }) => id)

/** One round of the purge of an agent, without the next one. */
function purgeOnce({ database }: StoreAgent, isUnanswered: (id: string) => boolean = () => false): void {
  const timers: (() => void)[] = []
  const after: Clock['after'] = (_, act) => {
    timers.push(act)
    return () => undefined
  }
  const clock = { monotonicMs: () => systemClock.monotonicMs(), after } as Clock
  startPurging({ clock, database, stateDirId: 'dir of a', isUnanswered })
  timers[0]?.()
}

test('one round deletes every id whose time has ended, however many, except those of requests without an answer', async () => {
  const agent = await openStoreAgent(server, await newDatabase(server))
  await agent.database.query(
    `INSERT INTO market_agent.call (id, fingerprint, operation, state_dir_id, in_doubt, answer, ends_at_ms)
       SELECT CASE WHEN n <= 1000 THEN 'unanswered ' ELSE 'id ' END || n, 'f', 'market.adjust-stock', 'dir of a', false, '{}',
         CASE WHEN n <= 1000 THEN 1 ELSE 2 END FROM generate_series(1, 3500) AS n`,
  )
  purgeOnce(agent, (id) => id.startsWith('unanswered'))
  await expect.poll(async () => (await idsOf(agent)).length).toBe(1_000)
  expect((await idsOf(agent))[0]).toMatch(/^unanswered/)
  await agent.close()
})

test('the whole name of an item is forgotten a week after its last note, unless something of the item may still be sent', async () => {
  const agent = await openStoreAgent(server, await newDatabase(server))
  const { database } = agent
  const [old, needed, recent] = ['a', 'b', 'c'].map((text) => text.repeat(2_000)) as [string, string, string]
  const note = (item: string) => noteLongItem((sql, values) => database.query(sql, values), item)
  for (const item of [old, needed, recent]) await note(item)
  await database.query('UPDATE market_agent.long_item SET noted_at_ms = noted_at_ms - $1::bigint', [weekMs + 1_000])
  await note(recent)
  await database.query('INSERT INTO market_agent.repair (key, quantity, due_at_ms) VALUES ($1, 1, 0)', [
    storableKey(keyOfItem(needed)),
  ])
  purgeOnce(agent)
  const left = async () => (await database.query('SELECT short FROM market_agent.long_item')).map(({ short }) => short)
  await expect.poll(async () => (await left()).length).toBe(2)
  expect((await left()).sort()).toEqual([needed, recent].map(storable).sort())
  await agent.close()
})

test('an id stays for the requests of its state directory, although another host has the name of its agent now', async () => {
  const name = await newDatabase(server)
  const first = await openStoreAgent(server, name, { stateDirId: 'dir of a dead host' })
  await first.journal.recordAnswer({ id: 'x', fingerprint: 'f', operationName: 'transaction.create' }, answer, 600_000)
  await first.close()
  await using second = await openStoreAgent(server, name, { stateDirId: 'dir of a' })
  const { database } = second
  await database.query('UPDATE market_agent.call SET ends_at_ms = market_agent.now_ms() - 1000')
  await database.query(
    `INSERT INTO market_agent.call (id, fingerprint, operation, state_dir_id, in_doubt, answer, ends_at_ms)
       VALUES ('own', 'f', 'market.adjust-stock', 'dir of a', false, '{}', 1)`,
  )
  purgeOnce(second)
  await expect.poll(() => idsOf(second)).toEqual(['x'])
})
