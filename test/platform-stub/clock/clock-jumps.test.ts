import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { manualTime } from '../fixtures/manual-time.ts'
import { answering, startReceiver } from '../fixtures/receiver.ts'
import { send, startStub } from '../fixtures/stub.ts'

// Here the machine's time stands still: everything happens by /stub/clock, and to the millisecond.

const minutes = 60_000

/** A stub whose time moves only by travel. */
async function startWorld() {
  const { time, pass } = manualTime()
  const receiver = await startReceiver(answering(503))
  const stub = await startStub({
    time,
    settings: {
      paymentExpiryMs: 30 * minutes,
      completionDelayMs: 20 * minutes,
      observationFreshnessMs: 10 * minutes,
      linkExpiryMs: 15 * minutes,
    },
  })
  return {
    stub,
    receiver,
    pass,
    server: await stub.gameServer({ webhookUrl: receiver.url }),
    nowMs: time.nowMs(),
    async [Symbol.asyncDispose]() {
      // What comes due while the time passes is answered, or the stub would wait for it for ever.
      receiver.reply(answering(200))
      const closed = stub[Symbol.asyncDispose]()
      pass(60_000)
      await closed
      await receiver[Symbol.asyncDispose]()
    },
  }
}

test('one clock jump does all that comes due, in order and each at its own moment, and answers when all of it is done', async () => {
  await using world = await startWorld()
  const { stub, receiver, server, nowMs } = world
  const delivered = await server.paidTransaction()
  const again = await server.paidTransaction()
  const unpaid = await server.purchase()
  await server.call('transaction.delivery', { transactionId: delivered })
  const failure = { reason: 'TEMPORARY', observedQuantity: 3 }
  await stub.advance(0)
  await server.call('transaction.delivery-failure', { transactionId: again, ...failure })
  await stub.advance(3_600)

  const afterS = (at: string | null) => (Date.parse(at ?? '') - nowMs) / 1_000
  const moves = (await stub.request('GET', '/stub/transactions')).data.flatMap(
    ({ transactionId, history }: { transactionId: number; history: { at: string; trigger: string }[] }) =>
      history.flatMap(({ at, trigger }) =>
        /complete|expire/.test(trigger) ? [[transactionId, trigger, afterS(at)]] : [],
      ),
  )
  expect(moves).toEqual([
    [unpaid, 'expire', 1_800],
    [delivered, 'complete', 1_200],
  ])
  const waits = [15, 45, 105, 225, 465, 945, 1_905]
  const retriesFrom = (startS: number) => waits.map((wait) => startS + wait).filter((at) => at <= 3_600)
  const attemptsOf = async (transactionId: number, event: string) => {
    const deliveries = (await stub.deliveries(transactionId)).filter((delivery) => delivery.event === event)
    return deliveries.map(({ attempts }) => attempts.map(({ at }) => afterS(at))).reverse()
  }
  // Its order ends with its completion; the terminal event is still delivered.
  expect(await attemptsOf(delivered, 'transfer_order')).toEqual([[0, ...retriesFrom(0).filter((at) => at < 1_200)]])
  expect(await attemptsOf(delivered, 'transaction_terminal')).toEqual([[1_200, ...retriesFrom(1_200)]])
  expect(await attemptsOf(unpaid, 'transaction_terminal')).toEqual([[1_800, ...retriesFrom(1_800)]])
  expect(await attemptsOf(again, 'transfer_order')).toEqual([[0], [15, ...retriesFrom(15)]])

  const sentS = receiver.received.map(({ headers }) => {
    const [segment = ''] = String(headers['x-platform-signature']).split('.')
    return JSON.parse(Buffer.from(segment, 'base64url').toString()).iat - nowMs / 1_000
  })
  expect(sentS).toEqual([...sentS].sort((a, b) => a - b))
  expect(sentS.length).toBe(7 + 8 + 7 + 9)
})

test('what is due at the end of a clock jump is done, and what is due a millisecond later is not', async () => {
  await using world = await startWorld()
  const { stub, server } = world
  const unpaid = await server.purchase()
  const phase = async () => (await stub.transaction(unpaid)).phase
  await stub.advance(1_799.999)
  expect(await phase()).toBe('awaiting-payment')
  await stub.advance(0.001)
  expect(await phase()).toBe('expired')
})

test('a link, an observation and an envelope age by the clock, to the millisecond', async () => {
  await using world = await startWorld()
  const { stub, server } = world
  const [early, late] = await Promise.all([1, 2].map(() => server.call('character.link', { characterRef: 'c' })))
  await server.listing()
  await server.call('market.adjust-stock', { itemRef: 'sword-1', observedQuantity: 0 })
  const available = async () => (await stub.request('GET', '/stub/listings')).data[0].estimate.available
  const look = await server.sealed(
    'market.eligibility',
    { characterRef: 'c' },
    { claims: { exp: world.nowMs / 1_000 + 540 } },
  )
  const sameLater = await server.sealed(
    'market.eligibility',
    { characterRef: 'c' },
    { claims: { exp: world.nowMs / 1_000 + 540 } },
  )

  await stub.advance(539.999)
  expect((await send(look)).status).toBe(200)
  await stub.advance(0.001)
  expect((await send(sameLater)).status).toBe(401)
  await stub.advance(60)
  expect(await available()).toBe(0)
  await stub.advance(0.001)
  expect(await available()).toBe(5)
  await stub.advance(299.998)
  expect((await fetch(early?.data.url, { method: 'POST' })).status).toBe(200)
  await stub.advance(0.001)
  expect((await fetch(late?.data.url, { method: 'POST' })).status).toBe(409)
})

test("a jti is free again at its envelope's exp by the stub's clock, and the old envelope stays refused after the way back", async () => {
  await using world = await startWorld()
  const { stub, server } = world
  const replayed = 'Esta requisição já foi processada.'
  const look = (seconds: number) =>
    server.sealed(
      'market.eligibility',
      { characterRef: 'c' },
      { jti: 'one', claims: { exp: world.nowMs / 1_000 + seconds } },
    )
  const [early, later] = [await look(60), await look(300)]
  expect((await send(early)).status).toBe(200)
  await stub.advance(59.999)
  expect((await send(later)).message).toBe(replayed)
  await stub.advance(0.001)
  expect((await send(later)).status).toBe(200)
  await stub.advance(-30)
  for (const sealed of [early, later]) expect((await send(sealed)).message).toBe(replayed)
})

test('an attempt has ten seconds for everything together, however lively its receiver dribbles', async () => {
  await using world = await startWorld()
  const { stub, receiver, server, pass } = world
  receiver.reply((_, response) => {
    response.writeHead(200)
    response.write('{')
  })
  const transactionId = await server.paidTransaction()
  await receiver.count(1)
  pass(9_999)
  expect((await stub.deliveries(transactionId))[0]).toMatchObject({ state: 'pending', attempts: [] })
  pass(1)
  await stub.advance(0)
  const [delivery] = await stub.deliveries(transactionId)
  expect(delivery?.attempts).toMatchObject([{ responseStatus: null, failure: 'no complete answer within 10000 ms' }])
  const [attempt] = delivery?.attempts ?? []
  expect(Date.parse(attempt?.nextAttemptAt ?? '') - Date.parse(attempt?.at ?? '')).toBe(10_000 + 15_000)
})

test('nothing in the platform reads the machine, its time or its random, except the two places made for it', () => {
  const root = join(import.meta.dirname, '..', '..', '..', 'platform-stub')
  const places = ['clock/machine-time.ts', 'server/random.ts']
  const reads =
    /\bDate\s*\.\s*now\b|\bnew\s+Date\s*(\(\s*\)|[^\s(])|\bperformance\s*\.|\bset(Timeout|Interval|Immediate)\s*\(|\bMath\s*\.\s*random\b|\brandom(UUID|Bytes|Int|FillSync)\b|\bAbortSignal\s*\.\s*timeout\b|timers\/promises/
  // The probe is a program of its own, which calls a receiver from outside.
  const files = globSync('**/*.ts', { cwd: root }).filter(
    (file) => !/^(commands\/probe-webhook|pages\/browser)\//.test(file),
  )
  expect(files.length).toBeGreaterThan(60)
  const found = files.filter((file) => reads.test(readFileSync(join(root, file), 'utf8')))
  expect(found.sort()).toEqual(places.sort())
})
