import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import type { StoreHost, StoreUrl } from '../../../agent/config/store-url.ts'
import { type ConnectOptions, connectToStore, NoWritableHostError } from '../../../agent/postgres/connect.ts'
import { certificateAuthority } from '../fixtures/certificates.ts'
import { startPostgres } from '../fixtures/postgres-server.ts'

const password = 'pässword'
const options: ConnectOptions = { ca: undefined, timeoutMs: 30_000, applicationName: 'market-agent test' }
const unexpected = () => expect.unreachable('the session ended')
const authority = certificateAuthority('Store')
const [writable, readOnly] = await Promise.all([
  startPostgres({ password, certificate: authority.issue('DNS:localhost') }),
  startPostgres({ settings: { default_transaction_read_only: 'on' } }),
])
afterAll(async () => {
  authority[Symbol.dispose]()
  await Promise.all([writable, readOnly].map((server) => server[Symbol.asyncDispose]()))
})

const at = ({ port }: { port: number }, host = '127.0.0.1', isRemote = false): StoreHost => ({ host, port, isRemote })
const urlOf = (...hosts: [StoreHost, ...StoreHost[]]): StoreUrl => ({
  hosts,
  user: 'postgres',
  password,
  database: 'postgres',
})
const problemsOf = async (url: StoreUrl, given = options) => {
  const error = await connectToStore(url, given, unexpected).then(
    () => expect.unreachable('connected'),
    (reason: unknown) => reason,
  )
  if (!(error instanceof NoWritableHostError)) throw error
  expect(error.message).not.toContain(password)
  return error.problems.map(({ problem }) => (typeof problem === 'string' ? problem : problem.message))
}
const portOf = async (url: StoreUrl, given = options) => {
  const session = await connectToStore(url, given, unexpected)
  const { rows } = await session.client.query('SELECT current_setting($1) AS port', ['port'])
  await session.end()
  return Number(rows[0]?.['port'])
}
/** A server that is not PostgreSQL. */
async function otherServer(onConnection: (socket: Socket) => void) {
  const server = createServer(onConnection).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as { port: number }).port, [Symbol.dispose]: () => void server.close() }
}

test('a password is proven by SCRAM, and a wrong one is refused', async () => {
  expect(await portOf(urlOf(at(writable)))).toBe(writable.port)
  expect(await problemsOf({ ...urlOf(at(writable)), password: 'other' })).toEqual([
    expect.stringContaining('password authentication failed'),
  ])
})

test('a Unix socket is a host', async () => {
  expect(await portOf(urlOf(at(writable, writable.socketDir)))).toBe(writable.port)
})

test('a host that refuses writes, one that refuses connections and one that hangs up are passed over', async () => {
  using hangingUp = await otherServer((socket) => socket.end())
  const hosts = [at({ port: 1 }), at(readOnly), at(hangingUp), at(writable)] as const
  expect(await portOf(urlOf(...hosts))).toBe(writable.port)
})

test('without a writable host each host is tried once, and its problem is told', async () => {
  using hangingUp = await otherServer((socket) => socket.end())
  expect(await problemsOf(urlOf(at(readOnly), at({ port: 1 }), at(hangingUp)))).toEqual([
    'set-read-only',
    expect.stringContaining('ECONNREFUSED'),
    expect.stringContaining('terminated'),
  ])
})

test('a host that takes the connection and says nothing is passed over in time', async () => {
  using silent = await otherServer(() => undefined)
  expect(await problemsOf(urlOf(at(silent), at({ port: 1 })), { ...options, timeoutMs: 100 })).toEqual([
    expect.stringContaining('timeout'),
    expect.stringContaining('ECONNREFUSED'),
  ])
})

test('a remote host proves by TLS that it has the name or the address of the URL', async () => {
  const trusting = { ...options, ca: authority.ca }
  expect(await portOf(urlOf(at(writable, 'localhost', true)), trusting)).toBe(writable.port)
  const session = await connectToStore(urlOf(at(writable, 'localhost', true)), trusting, unexpected)
  const { rows } = await session.client.query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()')
  expect(rows).toEqual([{ ssl: true }])
  await session.end()
  // The certificate names localhost, and not its address.
  expect(await problemsOf(urlOf(at(writable, '127.0.0.1', true)), trusting)).toEqual([
    expect.stringContaining("127.0.0.1 is not in the cert's list"),
  ])
  await using byAddress = await startPostgres({ certificate: authority.issue('IP:127.0.0.1') })
  expect(await portOf(urlOf(at(byAddress, '127.0.0.1', true)), trusting)).toBe(byAddress.port)
})

test('a remote host without TLS, or with a certificate of a stranger, gets no password', async () => {
  expect(await problemsOf(urlOf(at(writable, 'localhost', true)))).toEqual([expect.stringMatching(/certificate/)])
  expect(await problemsOf(urlOf(at(readOnly, 'localhost', true)))).toEqual([
    expect.stringContaining('does not support SSL'),
  ])
})

test('commits wait for the disk, also where the server says that they need not', async () => {
  await using hasty = await startPostgres({ settings: { synchronous_commit: 'off' } })
  await using careful = await startPostgres({ settings: { synchronous_commit: 'remote_apply' } })
  for (const [server, expected] of [
    [hasty, 'on'],
    [careful, 'remote_apply'],
  ] as const) {
    const { client, end } = await connectToStore(urlOf(at(server)), options, unexpected)
    expect((await client.query('SHOW synchronous_commit')).rows).toEqual([{ synchronous_commit: expected }])
    await end()
  }
})

test('the end of a session is told once, unless it was asked for', async () => {
  let ends = 0
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  const { client } = await connectToStore(urlOf(at(writable)), options, () => {
    ends++
    resolve()
  })
  const other = await connectToStore(urlOf(at(writable)), options, unexpected)
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid')
  await other.client.query('SELECT pg_terminate_backend($1)', [rows[0]?.['pid']])
  await ended
  await expect(client.query('SELECT 1')).rejects.toThrow()
  expect(ends).toBe(1)
  await other.end()
})
