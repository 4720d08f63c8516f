import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type CallAnswer, inDoubt } from '../../../agent/call/answer.ts'
import { freeTurn } from '../../../agent/call/turn.ts'
import { systemClock } from '../../../agent/clock/system-clock.ts'
import { StoreUnusableError } from '../../../agent/database/store-errors.ts'
import { newOrder } from '../../../agent/orders/order.ts'
import { addToStateDir, type KeptState, readStateDir } from '../../../agent/postgres/kept-state.ts'
import { addToStore, takeFromStore } from '../../../agent/postgres/move-state.ts'
import { sharedPostgres } from '../../programs/shared-postgres.ts'
import { order } from '../fixtures/events.ts'
import { openStoreAgent } from '../fixtures/store-agent.ts'
import { newDatabase } from '../fixtures/store-database.ts'
import { longTexts, strangeTexts } from '../fixtures/strange-texts.ts'

const server = await sharedPostgres()
const answer: CallAnswer = { ok: true, dataText: '{"n": 1.50}' }
const call = (id: string, operationName = 'transaction.create') => ({ id, fingerprint: `of ${id}`, operationName })
const nothing: KeptState = { calls: [], lateMs: 0, repairs: [], orders: [], observations: [] }
const storedCall = (id: string, of: CallAnswer = answer) => ({
  ...{ id, fingerprint: 'f', operation: 'transaction.create' },
  ...{ answer: JSON.stringify(of), restMs: 300_000 },
})
const inTime = () => systemClock.monotonicMs() + 60_000
const owner = { stateDirId: 'dir of a', world: '' }

/** An agent of the world '' and one of the world `south`, and what is moved out of the world ''. */
async function hosts() {
  const name = await newDatabase(server)
  const a = await openStoreAgent(server, name, { name: 'a' })
  const south = await openStoreAgent(server, name, { name: 'south', world: 'south' })
  const take = async () => {
    let kept = nothing
    await takeFromStore(south.database, '', (all) => {
      kept = all
    })
    return kept
  }
  return { a, south, take, name }
}

/** What a state directory has after these were added, one after another. */
function through(...states: readonly KeptState[]): KeptState {
  using dir = mkdtempDisposableSync(join(tmpdir(), 'moved-state-'))
  for (const state of states) addToStateDir(dir.path, systemClock, state)
  return readStateDir(dir.path, systemClock)
}

test('a move back keeps the doubt about calls of an agent that was killed, and about late attempts', async () => {
  const { a, south, take } = await hosts()
  await a.journal.claim(call('sent'), freeTurn, inTime())
  const turn = a.turns.take('itemRef sword', 'join-now')
  await a.journal.claim(call('with turn', 'market.adjust-stock'), turn, inTime())
  await a.kill()
  await south.database.query(`UPDATE market_agent.agent SET lease_ends_ms = 0 WHERE name = 'a'`)
  const kept = await take()
  expect(kept.calls).toMatchObject([{ id: 'sent', answer: JSON.stringify(inDoubt), restMs: expect.any(Number) }])
  expect(kept.calls[0]?.restMs).toBeGreaterThan(599_000)
  expect(kept.lateMs).toBeGreaterThan(30_000)
  expect(through(kept).lateMs).toBe(kept.lateMs)
  await south.close()
})

test('after an outage a move back leaves an agent that only waited for the store in possession', async () => {
  const { a, south, take } = await hosts()
  await a.kill()
  await south.database.query(`
    UPDATE market_agent.agent SET lease_ends_ms = market_agent.now_ms() - 5000;
    UPDATE market_agent.store SET heard_ms = market_agent.now_ms() - 20000;`)
  await expect(take()).rejects.toThrow(StoreUnusableError)
  await south.database.query(`UPDATE market_agent.agent SET lease_ends_ms = 0 WHERE name = 'a'`)
  await take()
  await south.close()
})

test('what was moved is not moved again over what the agents have done since', async () => {
  const { a, south, take } = await hosts()
  const dueIn = (restMs: number) => [{ itemRef: 'sword', quantity: 5, restMs }]
  await addToStore(south.database, owner, { ...nothing, repairs: dueIn(60_000) })
  await south.database.query('DELETE FROM market_agent.repair')
  const calls = [storedCall('later')]
  await addToStore(south.database, owner, { ...nothing, calls, repairs: dueIn(10_000) })
  expect(await south.database.query('SELECT FROM market_agent.repair')).toEqual([])
  expect(await south.journal.find('later')).toMatchObject({ answer })
  await a.close()
  await take()
  await addToStore(south.database, owner, { ...nothing, repairs: dueIn(60_000) })
  expect(await south.database.query('SELECT key FROM market_agent.repair')).toEqual([{ key: 'itemRef sword' }])
  await south.close()
})

test('a move back takes what another world has sent as in doubt, and leaves it there', async () => {
  const { a, south, take } = await hosts()
  await a.close()
  await south.journal.claim(call('of south'), freeTurn, inTime())
  expect((await take()).calls).toMatchObject([{ id: 'of south', answer: JSON.stringify(inDoubt) }])
  await south.journal.recordAnswer(call('of south'), answer, 600_000)
  expect(await south.journal.find('of south')).toMatchObject({ answer })
  await south.close()
})

test('a repair that is due is in one place: with the world that registered its item', async () => {
  const { a, south, take } = await hosts()
  const repairs = [
    { itemRef: 'sword', quantity: 3, restMs: 60_000 },
    { itemRef: 'shield', quantity: 4, restMs: 60_000 },
  ]
  await a.listings.end('sword', 'accepted')
  await south.listings.end('shield', 'accepted')
  await a.close()
  await addToStore(south.database, owner, { ...nothing, repairs })
  expect((await take()).repairs).toMatchObject([{ itemRef: 'sword', quantity: 3 }])
  const left = await south.database.query('SELECT key, quantity FROM market_agent.repair')
  expect(left).toEqual([{ key: 'itemRef shield', quantity: '4' }])
  await south.close()
})

test('a move replaces an id whose window is over, and no other, in both directions', async () => {
  const { a, south } = await hosts()
  const refused: CallAnswer = { ok: false, messageText: '"Não."', status: 409, uncertain: false }
  const [over, live] = ['over', 'live'].map((id) => call(id)) as [ReturnType<typeof call>, ReturnType<typeof call>]
  for (const known of [over, live]) {
    await a.journal.claim(known, freeTurn, inTime())
    await a.journal.recordAnswer(known, refused, 600_000)
  }
  await a.database.query(`UPDATE market_agent.call SET ends_at_ms = 1 WHERE id = 'over'`)
  const moved = { ...nothing, calls: [storedCall('over'), storedCall('live')] }
  for (let n = 0; n < 2; n++) await addToStore(a.database, owner, moved)
  expect(await a.journal.find('over')).toMatchObject({ answer })
  expect(await a.journal.find('live')).toMatchObject({ answer: refused })
  const before = [{ ...storedCall('over', refused), restMs: -1 }, storedCall('live', refused)]
  const { calls } = through({ ...nothing, calls: before }, moved, moved)
  expect(calls.map(({ id, answer: text }) => [id, text])).toEqual([
    ['over', JSON.stringify(answer)],
    ['live', JSON.stringify(refused)],
  ])
  await Promise.all([a.close(), south.close()])
})

test('a repair that is moved adds its quantity where only late attempts are known', async () => {
  const { a, south } = await hosts()
  const late = 'SELECT market_agent.expect_late($1, $2, $3)'
  await a.database.query(late, [a.lease.epoch, 'itemRef sword', 60_000])
  const repairs = [{ itemRef: 'sword', quantity: 3, restMs: 1_000 }]
  await addToStore(a.database, owner, { ...nothing, repairs })
  const rows = await a.database.query(
    'SELECT quantity, due_at_ms > market_agent.now_ms() + 50000 AS later FROM market_agent.repair',
  )
  expect(rows).toEqual([{ quantity: '3', later: true }])
  await Promise.all([a.close(), south.close()])
})

test('a repair that is moved back has the newest stock, of items with any name', async () => {
  const { a, south, take } = await hosts()
  await a.close()
  const items = [...strangeTexts, ...longTexts]
  await addToStore(south.database, owner, {
    ...nothing,
    repairs: items.map((itemRef) => ({ itemRef, quantity: 5, restMs: 60_000 })),
    orders: items.map((itemRef, n) => ({ ...newOrder({ ...order, transactionId: n + 1 }, '{}', 1), itemRef })),
    observations: items.map((itemRef) => ({ itemRef, quantity: 3 })),
  })
  expect((await take()).repairs.map(({ quantity }) => quantity)).toEqual(items.map(() => 3))
  await south.close()
})

test('texts of any characters are the same after a move there and back', async () => {
  const { a, south, take } = await hosts()
  await a.close()
  const items = [...strangeTexts, ...longTexts]
  const kept: KeptState = {
    ...nothing,
    calls: strangeTexts.map((id) => storedCall(id, { ok: true, dataText: JSON.stringify({ id, lone: '\ud800' }) })),
    repairs: items.map((itemRef, quantity) => ({ itemRef, quantity, restMs: 60_000 })),
    orders: items.map((itemRef, n) => ({ ...newOrder({ ...order, transactionId: n + 1 }, '{}', 1), itemRef })),
    observations: items.map((itemRef, quantity) => ({ itemRef, quantity })),
  }
  await addToStore(south.database, owner, through(kept))
  const back = through(await take())
  const textsOf = ({ calls, repairs, orders, observations }: KeptState) => [
    ...calls.map(({ id, answer: text }) => `${id} ${text}`).sort(),
    ...repairs.map(({ itemRef, quantity }) => `${itemRef} ${quantity}`).sort(),
    ...orders.map(({ itemRef, transactionId }) => `${itemRef} ${transactionId}`).sort(),
    ...observations.map(({ itemRef, quantity }) => `${itemRef} ${quantity}`).sort(),
  ]
  expect(textsOf(back)).toEqual(textsOf(kept))
  await south.close()
})
