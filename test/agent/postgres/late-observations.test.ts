import { expect, test } from 'vitest'
import { keyOfItem } from '../../../agent/call/call.ts'
import { systemClock } from '../../../agent/clock/system-clock.ts'
import { Database } from '../../../agent/postgres/database.ts'
import { sharedPostgres } from '../../programs/shared-postgres.ts'
import { startCuttableProxy } from '../fixtures/cuttable-proxy.ts'
import { openStoreAgent, type StoreAgent } from '../fixtures/store-agent.ts'
import { databaseOptions, newDatabase, urlOfDatabase } from '../fixtures/store-database.ts'

const server = await sharedPostgres()
const lifetimeMs = 32_000
const item = 'sword'
const now = () => systemClock.monotonicMs()
const inTime = () => now() + 60_000
const takeTurn = ({ turns }: StoreAgent) => turns.take(keyOfItem(item), 'join-now')

/** Two agents, of which one has a way to the store that can be cut, and a way of the test. */
async function twoAgents() {
  const name = await newDatabase(server)
  const proxy = await startCuttableProxy(server)
  const outside = await Database.open(databaseOptions(urlOfDatabase(server, name)))
  const open = async (agent: string, at: { readonly port: number }) => {
    const opened = await openStoreAgent(at, name, { name: agent, timeoutMs: 5_000 })
    const observations = opened.journal.openObservations({ clock: systemClock, lifetimeMs })
    await observations.begin(() => undefined)
    return { ...opened, observations }
  }
  const a = await open('a', proxy)
  const b = await open('b', server)
  return {
    ...{ a, b, proxy, outside },
    isAway: () => expect.poll(() => a.database.problem).toBeDefined(),
    isBack: () => expect.poll(() => a.database.problem, { timeout: 5_000 }).toBeUndefined(),
    repairs: () => outside.query('SELECT key, quantity::int FROM market_agent.repair'),
    /** Runs with the store keeping every note of a late observation waiting. */
    holdingNotes: (work: () => Promise<void>) =>
      outside.transact(async (query) => {
        await query('LOCK TABLE market_agent.repair IN SHARE ROW EXCLUSIVE MODE')
        await work()
      }),
    async [Symbol.asyncDispose]() {
      await Promise.all([a.close(), b.close(), outside.close()])
      proxy[Symbol.dispose]()
    },
  }
}

test('an agent that comes back keeps the turn of an item until it has said what may arrive late', async () => {
  await using agents = await twoAgents()
  const { a, b, proxy, isAway, isBack, holdingNotes, repairs } = agents
  const turn = takeTurn(a)
  expect(await turn.wait(inTime())).toBe(true)
  await a.observations.apply(item, { kind: 'leave', quantity: 5, nowMs: now() }, 'must-be-stored')
  proxy.cut()
  await isAway()
  const lost = { kind: 'end', effect: 'in-doubt', lastAttemptMs: now(), lateUntilMs: now() + lifetimeMs } as const
  await a.observations.apply(item, lost, 'if-possible')
  turn.release()
  const next = takeTurn(b)
  await holdingNotes(async () => {
    proxy.heal()
    await isBack()
    expect(await next.wait(now())).toBe(false)
  })
  expect(await next.wait(inTime())).toBe(true)
  await b.observations.apply(item, { kind: 'leave', quantity: 3, nowMs: now() }, 'must-be-stored')
  expect(await repairs()).toEqual([{ key: keyOfItem(item), quantity: 3 }])
})

test('a repair without an answer is not sent again over a newer call of another agent', async () => {
  await using agents = await twoAgents()
  const { a, b, proxy, outside, isAway, isBack, holdingNotes, repairs } = agents
  await outside.query('INSERT INTO market_agent.repair (key, quantity, due_at_ms) VALUES ($1, 5, 0)', [keyOfItem(item)])
  const turn = takeTurn(a)
  expect(await turn.wait(inTime())).toBe(true)
  const repair = { kind: 'repair', nowMs: now(), lateUntilMs: now() + lifetimeMs } as const
  expect(await a.observations.apply(item, repair, 'in-memory')).toMatchObject({ at: 'repairing', quantity: 5 })
  proxy.cut()
  await isAway()
  await a.observations.apply(item, { kind: 'postpone', untilMs: now() + lifetimeMs }, 'if-possible')
  turn.release()
  const next = takeTurn(b)
  await holdingNotes(async () => {
    proxy.heal()
    await isBack()
    expect(await next.wait(now())).toBe(false)
  })
  expect(await next.wait(inTime())).toBe(true)
  await b.observations.apply(item, { kind: 'leave', quantity: 3, nowMs: now() }, 'must-be-stored')
  await b.observations.apply(
    item,
    { kind: 'end', effect: 'acted', lastAttemptMs: now(), lateUntilMs: 0 },
    'if-possible',
  )
  expect(await repairs()).toEqual([{ key: keyOfItem(item), quantity: 3 }])
})
