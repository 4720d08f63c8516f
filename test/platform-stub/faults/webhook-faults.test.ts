import { createPublicKey, verify } from 'node:crypto'
import { expect, test } from 'vitest'
import { manualTime } from '../fixtures/manual-time.ts'
import { temporaryFolder } from '../fixtures/process.ts'
import { answering, type ReceivedWebhook, startReceiver } from '../fixtures/receiver.ts'
import { type GameServer, type StubControl, startStub } from '../fixtures/stub.ts'
import { watchedTime } from '../fixtures/watched-time.ts'

const set = (stub: StubControl, fault: object) => stub.request('POST', '/stub/webhook-faults', fault)
const listed = async (stub: StubControl) => (await stub.request('GET', '/stub/webhook-faults')).data

async function deliveryOf(stub: StubControl, transactionId: number, event: string) {
  const [newest] = (await stub.deliveries(transactionId)).filter((delivery) => delivery.event === event)
  if (!newest) throw new Error(`no ${event}`)
  return newest
}

/** What a proper receiver finds wrong with a webhook, by the steps of the interface's section 5; null for nothing. */
function faultFound({ headers, body }: ReceivedWebhook, server: GameServer, nowMs: number): string | null {
  const [segment = '', middle, signature = ''] = String(headers['x-platform-signature']).split('.')
  if (middle !== '') return 'segments'
  const { alg, kid, exp } = JSON.parse(Buffer.from(segment, 'base64url').toString())
  if (alg !== 'RS256' || kid !== server.platformKid) return 'kid'
  const signed = Buffer.from(`${segment}.${body.toString('base64url')}`)
  const key = createPublicKey(server.platformPublicKeyPem)
  if (!verify('sha256', signed, key, Buffer.from(signature, 'base64url'))) return 'signature'
  return exp * 1_000 > nowMs ? null : 'exp'
}

test.each([
  ['wrong-kid', 'kid'],
  ['expired', 'exp'],
  ['altered-body', 'signature'],
] as const)('%s is an attempt that a receiver has to refuse; refused, it comes again unbroken', async (kind, found) => {
  await using receiver = await startReceiver(answering(401))
  await using stub = await startStub()
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  expect((await set(stub, { kind })).data).toEqual({ id: 1, kind, times: 1 })
  const transactionId = await server.paidTransaction()
  await receiver.count(1)
  expect(await listed(stub)).toEqual([])
  receiver.reply(answering(200))
  await stub.advance(15)
  const nowMs = await stub.now()
  expect(receiver.received.map((webhook) => faultFound(webhook, server, nowMs))).toEqual([found, null])
  const { state, attempts } = await deliveryOf(stub, transactionId, 'transfer_order')
  expect([state, attempts.map(({ fault, responseStatus }) => [fault, responseStatus])]).toEqual([
    'acknowledged',
    [
      [kind, 401],
      [null, 200],
    ],
  ])
})

test('an altered body still has the form of its event, so that only the signature shows it', async () => {
  await using receiver = await startReceiver()
  await using stub = await startStub()
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  await set(stub, { kind: 'altered-body', times: 2 })
  const transactionId = await server.paidTransaction()
  await receiver.event('transfer_order')
  await stub.advance(0)
  await server.call('transaction.delivery', { transactionId })
  await receiver.event('transaction_terminal')
  expect(receiver.received.map(({ event }) => [event.itemRef, event.transactionId])).toEqual(
    Array(2).fill(['sword-1-altered', transactionId]),
  )
})

test('a broken attempt that is answered 2xx is delivered all the same', async () => {
  await using receiver = await startReceiver()
  await using stub = await startStub()
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  await set(stub, { kind: 'wrong-kid' })
  const transactionId = await server.paidTransaction()
  await receiver.count(1)
  await stub.advance(3_600)
  expect(await deliveryOf(stub, transactionId, 'transfer_order')).toMatchObject({
    state: 'acknowledged',
    attempts: [{ fault: 'wrong-kid', responseStatus: 200 }],
  })
  expect(receiver.received).toHaveLength(1)
})

test('duplicate sends copies together with the attempt, equal to the byte; they are shown and decide nothing', async () => {
  let count = 0
  await using receiver = await startReceiver((_, response) => response.writeHead(++count === 1 ? 200 : 409).end())
  await using stub = await startStub()
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  await set(stub, { kind: 'duplicate', copies: 3 })
  const transactionId = await server.paidTransaction()
  await receiver.count(4)
  await stub.advance(0)
  const [first, ...copies] = receiver.received
  expect(copies.map(({ body }) => body)).toEqual(Array(3).fill(first?.body))
  expect(new Set(receiver.received.map(({ headers }) => headers['x-platform-signature'])).size).toBe(1)
  const { attempts, state, nextAttemptAt } = await deliveryOf(stub, transactionId, 'transfer_order')
  expect(attempts.map(({ number, fault }) => [number, fault])).toEqual(Array(4).fill([1, 'duplicate']))
  expect(attempts.filter(({ responseStatus }) => responseStatus === 200)).toHaveLength(1)
  // Which of the four came first the network decides: the delivery goes by the attempt itself, written last.
  expect(state).toBe(attempts.at(-1)?.responseStatus === 200 ? 'acknowledged' : 'pending')
  expect(nextAttemptAt === null).toBe(state === 'acknowledged')
})

test('duplicate without a number is one copy', async () => {
  await using receiver = await startReceiver()
  await using stub = await startStub()
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  await set(stub, { kind: 'duplicate' })
  await server.paidTransaction()
  await receiver.count(2)
  await stub.advance(60)
  expect(receiver.received).toHaveLength(2)
})

test('drop-response: the receiver has it, its answer is lost, and it comes again', async () => {
  await using receiver = await startReceiver(answering(200, { observedQuantity: 4 }))
  await using stub = await startStub()
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  await set(stub, { kind: 'drop-response' })
  const transactionId = await server.paidTransaction()
  await receiver.count(1)
  await stub.advance(0)
  expect((await stub.request('GET', '/stub/listings')).data[0].observedQuantity).toBe(null)
  await stub.advance(15)
  const { state, attempts } = await deliveryOf(stub, transactionId, 'transfer_order')
  expect(attempts).toMatchObject([
    { fault: 'drop-response', responseStatus: null, failure: 'answer 200 dropped by a fault' },
    { fault: null, responseStatus: 200 },
  ])
  expect([state, receiver.received.length]).toEqual(['acknowledged', 2])
  expect((await stub.request('GET', '/stub/listings')).data[0].observedQuantity).toBe(4)
})

test('a delayed attempt begins this much later and is signed then; ended meanwhile, it is not made', async () => {
  await using receiver = await startReceiver()
  const { time, pass } = manualTime()
  const watched = watchedTime(time)
  await using stub = await startStub({ time: watched.time })
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  await set(stub, { kind: 'delay', delayMs: 200, event: 'transfer_order' })
  const paidAtMs = await stub.now()
  const transactionId = await server.paidTransaction()
  await watched.timer(200)
  pass(199)
  expect((await deliveryOf(stub, transactionId, 'transfer_order')).attempts).toEqual([])
  expect(receiver.received).toHaveLength(0)
  pass(1)
  await receiver.count(1)
  await stub.advance(0)
  const [attempt] = (await deliveryOf(stub, transactionId, 'transfer_order')).attempts
  expect(Date.parse(attempt?.at ?? '') - paidAtMs).toBe(200)

  await set(stub, { kind: 'delay', delayMs: 3_600_000, event: 'transfer_order' })
  const ended = await server.paidTransaction()
  await watched.timer(3_600_000)
  await server.call('transaction.delivery', { transactionId: ended })
  await receiver.event('transaction_terminal', ended)
  await stub.request('DELETE', '/stub/webhook-faults')
  await stub.advance(0)
  expect(await deliveryOf(stub, ended, 'transfer_order')).toMatchObject({ state: 'ended', attempts: [] })
  expect(receiver.received.filter(({ event }) => event.transactionId === ended)).toHaveLength(1)
})

test('reorder delivers the order after its terminal, once, although the transaction is over', async () => {
  await using receiver = await startReceiver()
  await using stub = await startStub()
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  await set(stub, { kind: 'reorder' })
  const transactionId = await server.paidTransaction()
  await stub.advance(3_600)
  expect(receiver.received).toHaveLength(0)
  expect(await deliveryOf(stub, transactionId, 'transfer_order')).toMatchObject({ state: 'pending', isHeld: true })
  receiver.reply(answering(503))
  await server.call('transaction.delivery', { transactionId })
  await receiver.event('transaction_terminal')
  await stub.advance(14)
  expect(receiver.received.map(({ event }) => event.event)).toEqual(['transaction_terminal'])
  receiver.reply(answering(200))
  await stub.advance(1)
  receiver.reply(answering(503))
  await stub.advance(3_600)
  const events = receiver.received.map(({ event }) => event.event)
  expect(events).toEqual(['transaction_terminal', 'transaction_terminal', 'transfer_order'])
  const { state, isHeld, attempts } = await deliveryOf(stub, transactionId, 'transfer_order')
  expect([state, isHeld, attempts.length]).toEqual(['acknowledged', false, 1])
})

test('an order that is sent again after its terminal was acknowledged waits for nothing, reorder or not', async () => {
  await using receiver = await startReceiver()
  await using stub = await startStub()
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  const transactionId = await server.paidTransaction()
  await server.call('transaction.delivery', { transactionId })
  await receiver.event('transaction_terminal')
  await stub.advance(0)
  await set(stub, { kind: 'reorder' })
  const { id } = await deliveryOf(stub, transactionId, 'transfer_order')
  await stub.request('POST', `/stub/webhooks/${id}/resend`)
  await stub.advance(0)
  expect(await deliveryOf(stub, transactionId, 'transfer_order')).toMatchObject({
    state: 'acknowledged',
    isHeld: false,
    attempts: [{ fault: null }, { fault: 'reorder', responseStatus: 200 }],
  })
})

test('an order that is held back is not lost by a restart', async () => {
  await using folder = await temporaryFolder()
  await using receiver = await startReceiver()
  const transactionId = await (async () => {
    await using stub = await startStub({ dataDirectory: folder.path })
    const server = await stub.gameServer({ webhookUrl: receiver.url })
    await set(stub, { kind: 'reorder' })
    const id = await server.paidTransaction()
    await stub.advance(0)
    return id
  })()
  await using stub = await startStub({ dataDirectory: folder.path })
  expect(await listed(stub)).toEqual([])
  for (const act of ['dispute', 'refund']) await stub.request('POST', `/stub/transactions/${transactionId}/${act}`)
  await receiver.count(2)
  expect(receiver.received.map(({ event }) => event.event)).toEqual(['transaction_terminal', 'transfer_order'])
})

test('DELETE releases what was held back', async () => {
  await using receiver = await startReceiver()
  await using stub = await startStub()
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  await set(stub, { kind: 'reorder' })
  await server.paidTransaction()
  await stub.advance(60)
  expect(receiver.received).toHaveLength(0)
  expect((await stub.request('DELETE', '/stub/webhook-faults')).text).toBe('')
  await receiver.event('transfer_order')
})

test('a fault applies to the event that it is meant for, for its number of attempts, and reset takes it away', async () => {
  await using receiver = await startReceiver(answering(500))
  await using stub = await startStub()
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  await set(stub, { kind: 'expired', event: 'transaction_terminal', times: 2 })
  const transactionId = await server.paidTransaction()
  await receiver.count(1)
  await server.call('transaction.delivery', { transactionId })
  await receiver.event('transaction_terminal')
  await stub.advance(60)
  const faults = async (event: string) =>
    (await deliveryOf(stub, transactionId, event)).attempts.map(({ fault }) => fault)
  expect(await faults('transfer_order')).toEqual([null])
  expect(await faults('transaction_terminal')).toEqual(['expired', 'expired', null])
  await set(stub, { kind: 'expired' })
  await stub.request('POST', '/stub/reset')
  expect(await listed(stub)).toEqual([])
})

const invalid: [object, string][] = [
  [{ kind: 'status', status: 500 }, 'O campo "kind" deve ser "duplicate" ou "reorder" ou'],
  [{ kind: 'duplicate', copies: 0 }, 'O campo "copies" deve ser um número inteiro a partir de 1'],
  [{ kind: 'duplicate', copies: 101 }, 'O campo "copies" deve ser um número inteiro até 100'],
  [{ kind: 'delay' }, 'O campo "delayMs" é obrigatório'],
  [{ kind: 'expired', times: '2' }, 'O campo "times" deve ser um número inteiro'],
  [{ kind: 'expired', event: 'order' }, 'O campo "event" deve ser "transfer_order" ou "transaction_terminal"'],
  [{ kind: 'reorder', event: 'transaction_terminal' }, 'O campo "event" deve ser "transfer_order"'],
  [{ kind: 'reorder', copies: 2 }, 'O campo "copies" não tem lugar aqui: retire-o.'],
]

test('a fault that cannot be is refused and names its field', async () => {
  await using stub = await startStub()
  for (const [fault, beginning] of invalid) {
    const { status, message } = await set(stub, fault)
    expect([status, message?.slice(0, beginning.length)], JSON.stringify(fault)).toEqual([400, beginning])
  }
  expect(await listed(stub)).toEqual([])
})

test('a game server that loses its webhookUrl in the midst of its deliveries leaves the platform at work', async () => {
  const answers: (() => void)[] = []
  await using receiver = await startReceiver((_, response) => {
    answers.push(() => response.writeHead(500).end())
  })
  await using stub = await startStub()
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  await server.listing({ quantityListed: 100 })
  for (let n = 0; n < 18; n++) await server.paidTransaction()
  await receiver.count(16)
  await stub.request('PUT', `/stub/game-servers/${server.id}`, { webhookUrl: null })
  for (const answer of answers) answer()
  expect((await stub.request('GET', '/health')).status).toBe(200)
  await stub.advance(60)
  expect(receiver.received).toHaveLength(16)
})

test('a webhook that a fault puts off by an hour is not sent by the end of the stub and goes out at its time after the restart', async () => {
  await using folder = await temporaryFolder()
  await using receiver = await startReceiver()
  const transactionId = await (async () => {
    await using stub = await startStub({ dataDirectory: folder.path })
    await set(stub, { kind: 'delay', delayMs: 3_600_000 })
    const server = await stub.gameServer({ webhookUrl: receiver.url })
    const paid = await server.paidTransaction()
    await expect.poll(() => listed(stub)).toEqual([])
    return paid
  })()
  expect(receiver.received).toEqual([])
  await using stub = await startStub({ dataDirectory: folder.path })
  const { state, attempts, nextAttemptAt } = await deliveryOf(stub, transactionId, 'transfer_order')
  expect([state, attempts]).toEqual(['pending', []])
  const inS = (Date.parse(nextAttemptAt ?? '') - Date.now()) / 1_000
  expect([inS > 3_000, inS < 3_601]).toEqual([true, true])
  await stub.advance(2_900)
  expect(receiver.received).toEqual([])
  await stub.advance(700)
  expect(receiver.received).toHaveLength(1)
})
