import { expect, test } from 'vitest'
import { type ConnectOptions, connectToStore } from '../../../agent/postgres/connect.ts'
import { ReplicatedServer } from '../fixtures/replicated-server.ts'

const options: ConnectOptions = { ca: undefined, timeoutMs: 30_000, applicationName: 'test' }

test('a replica has every commit of a primary whose host dies, again and again', async () => {
  await using server = await ReplicatedServer.start()
  const hosts = server.ports.map((port) => ({ host: '127.0.0.1', port, isRemote: false }))
  const [first, second] = hosts as [(typeof hosts)[0], (typeof hosts)[0]]
  const url = { hosts: [first, second] as const, user: 'postgres', password: undefined, database: 'postgres' }
  const connect = () => connectToStore(url, options, () => undefined)
  const before = await connect()
  await before.client.query('CREATE TABLE number (value int)')
  await before.end()
  for (let value = 1; value <= 3; value++) {
    const session = await connect()
    expect(session.host.port).toBe(server.port)
    await session.client.query('INSERT INTO number VALUES ($1)', [value])
    await server.killPrimary()
    await expect(connect()).rejects.toThrow('read-only')
    await server.promote()
    const after = await connect()
    expect(after.host.port).not.toBe(session.host.port)
    const { rows } = await after.client.query('SELECT count(*)::int AS count FROM number')
    expect(rows).toEqual([{ count: value }])
    await after.end()
    await server.makeReplica()
  }
})
