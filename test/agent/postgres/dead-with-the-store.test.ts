import { afterAll, expect, test } from 'vitest'
import { systemClock } from '../../../agent/clock/system-clock.ts'
import { startCrashableServer } from '../../simulation/stores/postgres-on-disk.ts'
import { endLease, openStoreAgent, renew, type StoreAgent } from '../fixtures/store-agent.ts'
import { newDatabase } from '../fixtures/store-database.ts'
import { unexpected } from '../fixtures/unexpected.ts'

const server = await startCrashableServer()
afterAll(() => server[Symbol.asyncDispose]())

const key = 'itemRef sword'
const now = () => systemClock.monotonicMs()
const inTime = () => now() + 60_000
const soon = () => now() + 2_500

/** Agent `a`, which dies when the store loses its power, and `b`, which lives on. */
async function twoAgents() {
  await server.holdBackWrites()
  const name = await newDatabase(server)
  const a = await openStoreAgent(server, name, { name: 'a' })
  const b = await openStoreAgent(server, name, { name: 'b' })
  return {
    ...{ a, b },
    async dieTogether() {
      await a.kill()
      await server.cutPower()
      await expect.poll(() => b.database.problem).toBeUndefined()
    },
    async takeOver() {
      await endLease(b, 'a')
      await renew(b)
    },
    [Symbol.asyncDispose]: () => b.kill(),
  }
}

test('a turn waits for an agent that died with the store until another one has taken over', async () => {
  await using agents = await twoAgents()
  const { b, dieTogether, takeOver } = agents
  await dieTogether()
  const turn = b.turns.take(key, 'join-now')
  expect(await turn.wait(soon())).toBe(false)
  await takeOver()
  expect(await turn.wait(inTime())).toBe(true)
})

test('what an agent sent before it died with the store counts as late for every item, because nobody knows which', async () => {
  await using agents = await twoAgents()
  const { a, b, dieTogether, takeOver } = agents
  const repairs = () => b.database.query('SELECT key, quantity FROM market_agent.repair ORDER BY key')
  const observe = async (agent: StoreAgent, itemRef: string, quantity: number) => {
    const known = agent.journal.openObservations({ clock: systemClock, lifetimeMs: 60_000, onError: unexpected })
    const turn = agent.turns.take(`itemRef ${itemRef}`, 'join-now')
    await turn.wait(inTime())
    await known.apply(itemRef, { kind: 'leave', quantity, nowMs: now() }, 'must-be-stored')
    return { known, turn }
  }
  await observe(a, 'sword', 4)
  await dieTogether()
  await takeOver()
  const { known, turn } = await observe(b, 'sword', 3)
  await known.apply('sword', { kind: 'end', effect: 'acted', lastAttemptMs: now(), lateUntilMs: 0 }, 'if-possible')
  turn.release()
  expect(await repairs()).toEqual([{ key, quantity: '3' }])
  await known.apply('shield', { kind: 'observe', quantity: 7, nowMs: now() }, 'if-possible')
  expect(await repairs()).toEqual([
    { key: 'itemRef shield', quantity: '7' },
    { key, quantity: '3' },
  ])
})
