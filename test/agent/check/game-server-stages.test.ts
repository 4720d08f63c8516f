import { chmodSync, chownSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { expect, test } from 'vitest'
import { freePort } from '../../../scripts/free-port.ts'
import { testKeysOf } from '../../vectors/test-keys.ts'
import { certificateAuthority } from '../fixtures/certificates.ts'
import { checkSetup, type Settings } from '../fixtures/check-setup.ts'

const timeout = 120_000
const isRoot = process.getuid?.() === 0

/** An agent with a webhook bridge, with its spool's directories. */
function setup() {
  const ready = checkSetup()
  const { publicKey } = testKeysOf('platform')
  writeFileSync(ready.path('platform.pem'), publicKey.export({ type: 'spki', format: 'pem' }))
  for (const name of ['spool', 'spool/outbox', 'spool/inbox']) mkdirSync(ready.path(name), { mode: 0o755 })
  const bridge: Settings = {
    SERVICE_PLATFORM_KID: 'p-1',
    SERVICE_PLATFORM_PUBLIC_KEY_FILE: ready.path('platform.pem'),
    SERVICE_WEBHOOK_PORT: '0',
  }
  const files: Settings = { ...bridge, SERVICE_SPOOL_DIR: ready.path('spool') }
  const forwardTo = async (url: string, more: Settings = {}) =>
    (await ready.online({ ...bridge, SERVICE_WEBHOOK_FORWARD_URL: url, ...more })).find(
      ({ name }) => name === 'forward-url',
    )
  return { ...ready, bridge, files, forwardTo }
}

/** A server on a free port, and every byte that it gets. */
async function listen(server: Server) {
  let bytes = 0
  server.on('connection', (socket) => {
    socket.on('data', (chunk) => {
      bytes += chunk.length
    })
    socket.on('error', () => undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    bytes: () => bytes,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

test('the directories for orders by file are right when they can be written, and before the first start', {
  timeout,
}, async () => {
  using ready = setup()
  const [before] = await ready.stages(['spool-events'], ready.files)
  expect(before).toMatchObject({ ok: true, message: expect.stringContaining('the first start makes them') })
  for (const name of ['events', 'replies']) mkdirSync(ready.path('spool', name))
  expect(await ready.faults(ready.files)).toEqual([])
  expect(await ready.stages(['spool-events'], ready.files)).toMatchObject([{ ok: true, cure: null }])
  expect(['events', 'replies'].flatMap((name) => readdirSync(ready.path('spool', name)))).toEqual([])
})

test('a file or a link where events or replies must be is wrong, with its cure', { timeout }, async () => {
  using ready = setup()
  writeFileSync(ready.path('spool', 'events'), '')
  expect(await ready.faults(ready.files)).toMatchObject([
    { name: 'spool-events', message: expect.stringContaining('events'), cure: expect.stringContaining('move away') },
  ])
  using other = setup()
  symlinkSync(other.path('spool', 'inbox'), other.path('spool', 'replies'))
  expect(await other.faults(other.files)).toMatchObject([
    { name: 'spool-events', cure: 'put a directory in the place of the link' },
  ])
})

test.runIf(isRoot)(
  'a group that cannot write its replies is wrong, with the command that corrects it',
  {
    timeout,
  },
  async () => {
    using ready = setup()
    for (const name of ['events', 'replies']) mkdirSync(ready.path('spool', name), { mode: 0o755 })
    for (const [name, mode] of [
      ['', 0o2750],
      ['outbox', 0o2770],
      ['inbox', 0o2770],
      ['events', 0o2770],
    ] as const) {
      chownSync(ready.path('spool', name), 0, 12_345)
      chmodSync(ready.path('spool', name), mode)
    }
    expect(await ready.faults(ready.files)).toMatchObject([
      {
        name: 'spool-events',
        message: expect.stringContaining('replies'),
        cure: expect.stringContaining('chmod g+rwxs'),
      },
    ])
  },
)

test('a game server that asks for its orders has no check of files or of a forward URL', { timeout }, async () => {
  using ready = setup()
  writeFileSync(ready.path('spool', 'events'), '')
  const asking = { ...ready.files, SERVICE_ORDERS_BY: 'asking' }
  expect(await ready.stages(['spool-events', 'forward-url'], asking)).toEqual([])
  expect(await ready.stages(['spool-events', 'forward-url'], { SERVICE_SPOOL_DIR: ready.path('spool') })).toEqual([])
})

test('a forward URL at which nothing listens is wrong, and right as soon as the game server runs', {
  timeout,
}, async () => {
  using ready = setup()
  const port = await freePort()
  expect(await ready.forwardTo(`http://127.0.0.1:${port}/orders`)).toEqual({
    name: 'forward-url',
    ok: false,
    message: `nothing listens at 127.0.0.1:${port}, so orders wait`,
    cure: 'start the game server, or correct SERVICE_WEBHOOK_FORWARD_URL',
  })
  await using game = await listen(createServer())
  expect(await ready.forwardTo(`http://127.0.0.1:${game.port}/orders`)).toMatchObject({ ok: true, cure: null })
  expect(game.bytes()).toBe(0)
  expect(await ready.forwardTo(`http://${'a'.repeat(64)}.invalid/orders`)).toMatchObject({
    ok: false,
    message: expect.stringContaining('ENOTFOUND'),
  })
})

test('a game server behind TLS is wrong until its issuer is trusted and is sent no request', { timeout }, async () => {
  using ready = setup()
  using authority = certificateAuthority('Unheard-of Root')
  let requests = 0
  const server = createHttpsServer(authority.issue('IP:127.0.0.1'), (_request, response) => {
    requests++
    response.end()
  })
  await using game = await listen(server)
  const url = `https://127.0.0.1:${game.port}/orders`
  expect(await ready.forwardTo(url)).toMatchObject({ ok: false, cure: expect.stringContaining('SERVICE_CA_FILE') })
  writeFileSync(ready.path('ca.pem'), authority.ca)
  expect(await ready.forwardTo(url, { SERVICE_CA_FILE: ready.path('ca.pem') })).toMatchObject({ ok: true })
  expect(requests).toBe(0)
  await using plain = await listen(createServer((socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')))
  expect(await ready.forwardTo(`https://127.0.0.1:${plain.port}/`)).toMatchObject({
    ok: false,
    message: expect.stringContaining('no encrypted connection'),
  })
})

test('--offline leaves the forward URL out: the game server may start after the agent', { timeout }, async () => {
  using ready = setup()
  const settings = { ...ready.bridge, SERVICE_WEBHOOK_FORWARD_URL: `http://127.0.0.1:${await freePort()}/` }
  expect(await ready.faults(settings)).toEqual([])
  expect(await ready.stages(['forward-url'], settings)).toMatchObject([{ ok: null }])
})
