import { expect, test } from 'vitest'
import { newOrder } from '../../../agent/orders/order.ts'
import { watchLonelyWorlds } from '../../../agent/postgres/lonely-worlds.ts'
import { sharedPostgres } from '../../programs/shared-postgres.ts'
import { order as event } from '../fixtures/events.ts'
import { openStoreAgent } from '../fixtures/store-agent.ts'
import { newDatabase } from '../fixtures/store-database.ts'
import { TestClock } from '../fixtures/test-clock.ts'

const server = await sharedPostgres()

test('orders of a world without an agent are told once, and again after that world had one', async () => {
  const name = await newDatabase(server)
  const clock = new TestClock()
  const told: unknown[] = []
  const south = await openStoreAgent(server, name, { name: 'south', world: 'south' })
  const onLonely = (...found: unknown[]) => void told.push(found)
  const stop = watchLonelyWorlds({
    database: south.database,
    clock,
    onLonely,
    onError: (error) => expect.unreachable(error.message),
  })
  const look = async () => {
    await clock.timers(1)
    clock.advance(10_000)
    await clock.timers(1)
  }
  for (let times = 1; times <= 2; times++) {
    const north = await openStoreAgent(server, name, { name: 'north', world: 'north' })
    const ledger = north.openLedger({ onFull: () => undefined, onUnregistered: () => undefined })
    const order = newOrder({ ...event, transactionId: times }, JSON.stringify(event), 1)
    await ledger.change(times, () => ({ order }))
    await look()
    await ledger.close()
    await north.close()
    for (let looks = 0; looks < 4; looks++) await look()
    expect(told.splice(0)).toEqual([['north', times]])
  }
  stop()
  await south.close()
})
