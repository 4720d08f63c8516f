import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { machineTime } from '../../../platform-stub/clock/machine-time.ts'
import { stubProgram } from '../../programs/our-programs.ts'
import { logLinesOf, spawnUnread } from '../../programs/unread-program.ts'
import { manyPurchases } from '../fixtures/many-orders.ts'
import { run, serve, temporaryFolder } from '../fixtures/process.ts'
import { answering, startReceiver } from '../fixtures/receiver.ts'
import { GameServer, offer, StubControl, send, startStub } from '../fixtures/stub.ts'

test('serve says where it listens in one JSON line, answers there, and ends with 0 on SIGTERM, SIGINT and SIGHUP', async () => {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    await using stub = await serve('--memory')
    expect(stub.listening).toMatchObject({ msg: 'listening', level: 'info', seed: null })
    expect(stub.listening.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    const health = await stub.control.request('GET', '/health')
    expect(JSON.parse(health.text)).toEqual({ ok: true, service: expect.stringMatching(/^platform-stub \d/) })
    const { code, stderr } = await stub.signal(signal)
    expect([code, stderr]).toEqual([0, ''])
  }
})

test('a stub whose log reader goes away continues and ends with 0', async () => {
  await using stub = await serve('--memory')
  stub.closeOutput()
  const server = await stub.control.gameServer()
  for (let count = 0; count < 3; count++) {
    expect((await server.call('market.eligibility', { characterRef: 'c' })).status).toBe(200)
  }
  expect((await stub.signal('SIGTERM')).code).toBe(0)
})

test('a stub whose log reader goes away just before SIGTERM ends with 0', async () => {
  await using stub = await serve('--memory')
  stub.closeOutput()
  expect((await stub.signal('SIGTERM')).code).toBe(0)
})

test('kill -9 loses neither transaction nor delivery, and jti and clock are remembered', async () => {
  await using folder = await temporaryFolder()
  await using receiver = await startReceiver(answering(503))
  const lived = await livingStub(folder.path, receiver.url)
  await using stub = await serve('--data-dir', folder.path)
  const { control } = stub

  expect((await control.transaction(lived.transactionId)).phase).toBe('awaiting-server')
  const [order] = await control.deliveries(lived.transactionId)
  expect([order?.event, order?.state]).toEqual(['transfer_order', 'pending'])
  expect((await send({ ...lived.sealed, url: lived.sealed.url.replace(lived.url, control.url) })).message).toBe(
    'Esta requisição já foi processada.',
  )
  expect((await control.now()) - Date.now()).toBeGreaterThan(7_000_000)
  receiver.reply(answering(200, { observedQuantity: 4 }))
  await control.advance(3_600)
  expect((await control.deliveries(lived.transactionId))[0]?.state).toBe('acknowledged')
})

/** A stub that lived two hours ahead, had a paid purchase, and was killed. */
async function livingStub(dataDirectory: string, webhookUrl: string) {
  await using stub = await serve('--data-dir', dataDirectory)
  const { control } = stub
  await control.advance(7_200)
  const server = await control.gameServer({ webhookUrl })
  const transactionId = await server.paidTransaction()
  const sealed = await server.sealed('transaction.get', { transactionId })
  expect((await send(sealed)).status).toBe(200)
  await stub.signal('SIGKILL')
  return { transactionId, sealed, url: control.url }
}

test('whatever was answered before a kill -9 in the midst of a burst is there afterwards', async () => {
  await using folder = await temporaryFolder()
  const answered: string[] = []
  const { apiKey, kid, id } = await (async () => {
    await using stub = await serve('--data-dir', folder.path)
    const server = await stub.control.gameServer()
    await server.seller()
    const requests = await Promise.all(
      Array.from({ length: 120 }, (_, n) =>
        server.sealed('market.register', { ...offer, itemRef: `item-${n}`, sellerCharacterRef: 'seller' }),
      ),
    )
    const burst = requests.map(async (sealed, n) => {
      const { status } = await send(sealed)
      if (status === 200) answered.push(`item-${n}`)
      if (answered.length === 40) void stub.signal('SIGKILL')
    })
    await Promise.allSettled(burst)
    return server
  })()
  await using stub = await serve('--data-dir', folder.path)
  const server = new GameServer(stub.control, {
    gameServerId: id,
    apiKey,
    kid,
    platformKeyKid: '',
    platformPublicKeyPem: '',
  })
  const present = new Set(
    (await stub.control.request('GET', '/stub/listings?limit=1000')).data.map(
      (listing: { itemRef: string }) => listing.itemRef,
    ),
  )
  expect(answered.length).toBeGreaterThanOrEqual(40)
  expect(answered.filter((itemRef) => !present.has(itemRef))).toEqual([])
  expect((await server.listing({ itemRef: answered[0] })).status).toBe(409)
})

test('a day of downtime causes one attempt and not a burst, and what time did meanwhile is done as of its moment', async () => {
  await using folder = await temporaryFolder()
  await using receiver = await startReceiver(answering(503))
  const [transactionId, unpaid] = await (async () => {
    await using stub = await startStub({ dataDirectory: folder.path })
    const server = await stub.gameServer({ webhookUrl: receiver.url })
    const id = await server.paidTransaction()
    await receiver.count(1)
    return [id, await stub.transaction(await server.purchase())] as const
  })()
  const tomorrow = { ...machineTime, nowMs: () => Date.now() + 86_400_000 }
  await using stub = await startStub({ dataDirectory: folder.path, time: tomorrow })
  await receiver.count(3)
  const { history, phase } = await stub.transaction(unpaid.transactionId)
  expect([phase, history.at(-1)?.at]).toEqual(['expired', unpaid.expiresAt])
  await stub.advance(14)
  expect((await stub.deliveries(transactionId))[0]?.attempts.length).toBe(2)
  await stub.advance(30)
  expect((await stub.deliveries(transactionId))[0]?.attempts.length).toBe(3)
})

test('an attempt that is under way at SIGTERM is finished and its answer kept', async () => {
  await using folder = await temporaryFolder()
  let answer = (): void => undefined
  await using receiver = await startReceiver((_, response) => {
    answer = () => response.writeHead(200).end()
  })
  const transactionId = await (async () => {
    await using stub = await serve('--data-dir', folder.path)
    const server = await stub.control.gameServer({ webhookUrl: receiver.url })
    const id = await server.paidTransaction()
    await receiver.count(1)
    const ended = stub.signal('SIGTERM')
    answer()
    expect((await ended).code).toBe(0)
    return id
  })()
  await using stub = await serve('--data-dir', folder.path)
  expect((await stub.control.deliveries(transactionId))[0]?.state).toBe('acknowledged')
})

test('SIGTERM breaks a clock jump off in the midst of 320 orders whose receiver hangs, and the clock continues from there', async () => {
  await using folder = await temporaryFolder()
  await using receiver = await startReceiver(() => undefined)
  const scenario = join(folder.path, 'scenario.json')
  await writeFile(scenario, JSON.stringify(manyPurchases(320, 'awaiting-server', receiver.url)))
  const dataDirectory = join(folder.path, 'data')
  {
    await using stub = await serve('--data-dir', dataDirectory, '--scenario', scenario)
    await receiver.count(16)
    await stub.control.request('PUT', '/stub/clock', { advanceSeconds: -86_400 })
    const jump = stub.control.request('PUT', '/stub/clock', { advanceSeconds: 172_800 })
    await receiver.count(32)
    const startedMs = performance.now()
    expect((await stub.signal('SIGTERM')).code).toBe(0)
    expect(performance.now() - startedMs).toBeLessThan(10_000)
    expect((await jump).status).toBe(409)
    expect(receiver.received.length).toBe(32)
  }
  receiver.reply(answering(200))
  await using stub = await serve('--data-dir', dataDirectory)
  const aheadMs = (await stub.control.now()) - Date.now()
  expect(Math.abs(aheadMs)).toBeLessThan(3_600_000)
})

test('usage and addresses that cannot be end with 2, a data folder that is locked with 3', async () => {
  await using folder = await temporaryFolder()
  await using stub = await serve('--data-dir', folder.path)
  const { port } = new URL(stub.listening.url)
  const codes = await Promise.all([
    run('serve', '--port', 'many'),
    run('serve', '--payment-expiry', '30'),
    run('serve', '--memory', '--data-dir', folder.path),
    run('serve', '--colour'),
    run('serve', '--memory', '--port', port),
    run('provision', '--name', 'x', '--out', folder.path),
    run('serve', '--port', '0', '--data-dir', folder.path),
  ])
  expect(codes.map(({ code }) => code)).toEqual([2, 2, 2, 2, 2, 2, 3])
  expect(codes[4]?.stderr).toBe(`platform-stub: 127.0.0.1:${port} is in use; choose another --port\n`)
  expect(codes[6]?.stderr).toContain('is in use by another platform-stub')
  expect((await stub.control.request('GET', '/health')).status).toBe(200)
})

test.each([
  ['no database', 'is not a database', (file: string) => writeFile(file, 'my diary '.repeat(40))],
  ["another program's", 'is not a database', async (file: string) => database(file, 'create table mine (a)')],
  ["a newer stub's", 'newer platform-stub', async (file: string) => database(file, newer)],
])('a file that is %s is refused and left untouched', async (_, reason, make) => {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'platform.db')
  await make(file)
  const before = await readFile(file)
  const { code, stderr } = await run('serve', '--port', '0', '--data-dir', folder.path)
  expect([code, stderr.includes(reason), stderr.split('\n').length]).toEqual([1, true, 2])
  expect(await readFile(file)).toEqual(before)
  expect(await readdir(folder.path)).toEqual(['platform.db'])
})

const newer = 'pragma application_id = 0x504c5354; pragma user_version = 9999; create table later (a)'

function database(file: string, sql: string): void {
  const opened = new DatabaseSync(file)
  opened.exec(sql)
  opened.close()
}

test('--seed makes keys and tokens repeatable and is printed', async () => {
  const story = async (seed: string) => {
    await using stub = await serve('--memory', '--seed', seed)
    const server = await stub.control.gameServer()
    const link = await server.call('character.link', { characterRef: 'c' })
    return [stub.listening, server.apiKey, server.kid, new URL(link.data.url).pathname]
  }
  const [[first, ...one], [, ...other], [, ...different]] = await Promise.all([story('7'), story('7'), story('8')])
  expect(first).toMatchObject({ seed: '7' })
  expect(one).toEqual(other)
  expect(one).not.toEqual(different)
})

test('a duration beyond ten years is refused at the start, where it would else break every purchase', async () => {
  const { code, stderr } = await run('serve', '--memory', '--payment-expiry', '999999999d')
  expect([code, stderr]).toEqual([2, expect.stringContaining('At most 3650d is possible. Example: 30m')])
})

/** A stub whose standard output nobody reads, with a purchase of which failures can be reported. */
async function startUnread() {
  await using started = new AsyncDisposableStack()
  const stub = started.use(spawnUnread([...stubProgram(), 'serve', '--memory', '--port', '0']))
  await expect.poll(() => stub.read()).toContain('"msg":"listening"')
  const control = new StubControl(String(logLinesOf(stub.read())[0]?.['url']))
  const server = await control.gameServer()
  const transactionId = await server.paidTransaction()
  const running = started.move()
  return {
    ...stub,
    /** Writes two lines of more than 60 KB together. */
    async fail() {
      const failure = { reason: 'TEMPORARY', observedQuantity: 3, detail: 'x'.repeat(60_000) }
      const { status } = await server.call('transaction.delivery-failure', { transactionId, ...failure })
      expect(status).toBe(200)
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

test('a stub whose output nobody reads continues and says how many lines were lost when it is read again', async () => {
  await using stub = await startUnread()
  for (let count = 0; count < 40; count++) await stub.fail()
  const lost = () => logLinesOf(stub.read()).filter((line) => 'linesLost' in line)
  await expect.poll(lost).toHaveLength(1)
  const linesLost = Number(lost()[0]?.['linesLost'])
  expect(linesLost).toBeGreaterThan(20)
  await stub.fail()
  const linesRead = () => logLinesOf(stub.read()).length
  // The start, listing and buying, two lines for each failure, and the one about what was lost.
  await expect.poll(linesRead).toBe(1 + 2 + 2 * 41 + 1 - linesLost)
  expect(lost()).toHaveLength(1)
})

test.each(['SIGTERM', 'SIGINT'] as const)('%s ends a stub whose output nobody reads', async (signal) => {
  await using stub = await startUnread()
  for (let count = 0; count < 4; count++) await stub.fail()
  expect(await stub.signal(signal)).toBe(0)
})

test('the platform goes by the durations that `serve` was given', async () => {
  await using stub = await serve(
    '--memory',
    ...['--observation-freshness', '60s', '--payment-expiry', '5m', '--completion-delay', '30s', '--link-expiry', '2m'],
  )
  const { control } = stub
  const server = await control.gameServer()
  const transactionId = await server.paidTransaction()
  await server.call('market.adjust-stock', { itemRef: offer.itemRef, observedQuantity: 0 })
  await server.call('transaction.delivery', { transactionId })
  const estimate = async () => (await control.request('GET', '/stub/listings')).data[0].estimate
  expect((await estimate()).observed).toBe(0)
  const { data: link } = await server.call('character.link', { characterRef: 'c' })
  await control.advance(29)
  expect((await control.transaction(transactionId)).phase).toBe('delivered')
  await control.advance(32)
  expect((await control.transaction(transactionId)).phase).toBe('completed')
  expect((await estimate()).observed).toBe(null)
  await control.advance(60)
  expect((await fetch(link.url)).status).toBe(409)
  const unpaid = await server.purchase()
  const { createdAt, expiresAt } = (await control.request('GET', `/stub/transactions/${unpaid}`)).data
  expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(300_000)
})

test('without options a purchase waits 30 minutes for its payment, and an observation counts for 10', async () => {
  await using stub = await serve('--memory')
  const { control } = stub
  const server = await control.gameServer()
  const { createdAt, expiresAt } = (await control.request('GET', `/stub/transactions/${await server.purchase()}`)).data
  expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(30 * 60_000)
  await server.call('market.adjust-stock', { itemRef: offer.itemRef, observedQuantity: 0 })
  const observed = async () => (await control.request('GET', '/stub/listings')).data[0].estimate.observed
  await control.advance(9 * 60)
  expect(await observed()).toBe(0)
  await control.advance(90)
  expect(await observed()).toBe(null)
})
