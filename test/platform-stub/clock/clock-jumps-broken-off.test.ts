import { expect, test } from 'vitest'
import type { ControlParts } from '../../../platform-stub/developer/control/control-parts.ts'
import { refuse } from '../../../platform-stub/marketplace/refusal.ts'
import { manyPurchases, staging } from '../fixtures/many-orders.ts'
import { answering, startReceiver } from '../fixtures/receiver.ts'
import { startStub } from '../fixtures/stub.ts'

const century = { now: '2126-01-01T00:00:00Z' }

const breakers = [
  ['DELETE', '/stub/clock'],
  ['POST', '/stub/reset'],
] as const

test.each(breakers)(
  '%s %s breaks a clock jump off that would take for ever, and those that wait behind it',
  async (method, path) => {
    await using receiver = await startReceiver(answering(503))
    await using stub = await startStub()
    const server = await stub.gameServer({ webhookUrl: receiver.url })
    await server.paidTransaction()
    const jumps = [century, century].map((body) => stub.request('PUT', '/stub/clock', body))
    await receiver.count(15)
    expect((await stub.request(method, path)).status).toBe(200)
    expect((await stub.request('GET', '/stub/clock')).data.travelling).toBe(false)
    for (const { status, message } of await Promise.all(jumps)) {
      expect(status).toBe(409)
      const [brokenOffAt = ''] = /\d{4}-[^ ,]+Z/.exec(message ?? '') ?? []
      expect(Date.parse(brokenOffAt)).toBeGreaterThan(Date.now() - 60_000)
      expect(Date.parse(brokenOffAt)).toBeLessThan(Date.parse(century.now))
    }
  },
)

test.each(breakers)(
  '%s %s breaks a clock jump off in the midst of 320 orders whose receiver hangs',
  async (...breaker) => {
    await using receiver = await startReceiver(() => undefined)
    await using stub = await startStub({ prepare: staging(manyPurchases(320, 'awaiting-server', receiver.url)) })
    await receiver.count(16)
    const jump = stub.request('PUT', '/stub/clock', { advanceSeconds: 3_600 })
    await receiver.count(32)
    expect((await stub.request(...breaker)).status).toBe(200)
    expect((await jump).status).toBe(409)
    expect((await stub.request('GET', '/stub/clock')).data.travelling).toBe(false)
    // Of those that were still to come at most one for each slot has begun since, as time passes.
    expect(receiver.received.length).toBeLessThanOrEqual(48)
    await stub.request('POST', '/stub/reset')
  },
)

test.each([
  ['at as many moments', (at: number) => at],
  ['at one moment', () => 1],
])(
  'requests are answered during a clock jump on which 20,000 moves are due %s, and can break it off',
  async (_, secondOf) => {
    const count = 20_000
    await using stub = await startStub({
      async prepare(parts, stubUrl) {
        await staging(manyPurchases(count, 'awaiting-payment'))(parts, stubUrl)
        const { transact, tables, clock } = parts.platform
        const startMs = clock.nowMs() + 3_600_000
        transact(() => {
          for (let at = 1; at <= count; at++) {
            tables.transactions.setDue({ transactionId: at, trigger: 'expire', dueAt: startMs + secondOf(at) * 1_000 })
          }
        })
      },
    })
    const newest = async () => (await stub.request('GET', `/stub/transactions/${count}`)).data.phase
    const jump = stub.request('PUT', '/stub/clock', { advanceSeconds: 86_400 })
    const first = async () => (await stub.request('GET', '/stub/transactions/1')).data.phase
    while ((await first()) !== 'expired');
    expect(await newest()).toBe('awaiting-payment')
    expect((await stub.request('DELETE', '/stub/clock')).status).toBe(200)
    expect((await jump).status).toBe(409)
    expect(await newest()).toBe('awaiting-payment')
    await stub.advance(86_400)
    expect(await newest()).toBe('expired')
  },
)

test('an attempt that is under way has the two seconds of a clock jump left when one begins', async () => {
  await using receiver = await startReceiver(() => undefined)
  await using stub = await startStub()
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  const transactionId = await server.paidTransaction()
  await receiver.count(1)
  await stub.advance(1)
  const [delivery] = await stub.deliveries(transactionId)
  expect(delivery?.attempts).toMatchObject([{ failure: 'no complete answer within the 2000 ms of a clock jump' }])
})

test('a delay that a fault makes holds a clock jump up no longer than a receiver may', async () => {
  await using receiver = await startReceiver()
  await using stub = await startStub()
  const server = await stub.gameServer()
  const transactionId = await server.paidTransaction()
  const fault = { kind: 'delay', delayMs: 3_600_000, times: 2 }
  await stub.request('POST', '/stub/webhook-faults', fault)
  await stub.request('PUT', `/stub/game-servers/${server.id}`, { webhookUrl: receiver.url })
  expect((await stub.request('GET', '/stub/webhook-faults')).data).toMatchObject([{ times: 1 }])
  // The first delay began before the clock jump and is given up for it; the second begins on it.
  await stub.advance(1)
  expect(receiver.received).toHaveLength(1)
  const [delivery] = await stub.deliveries(transactionId)
  expect(delivery).toMatchObject({ state: 'acknowledged', attempts: [{ number: 1, fault: 'delay' }] })
})

test('a reset does not wait: attempts under way are broken off', async () => {
  await using receiver = await startReceiver(() => undefined)
  await using stub = await startStub()
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  await server.paidTransaction()
  await receiver.count(1)
  await stub.request('POST', '/stub/reset')
  const attempted = stub.logLines.filter((line) => line.includes('webhook attempted')).map((line) => JSON.parse(line))
  expect(attempted).toMatchObject([{ failure: 'broken off by a reset' }])
  receiver.reply(answering(200))
  await server.paidTransaction()
  await receiver.count(2)
})

test('a clock jump on which nothing can be written ends with an error, and the webhook is still due', async () => {
  await using receiver = await startReceiver(answering(503))
  let isFull = false
  const stub = await startStub({ prepare: async (parts) => failWhen(parts, () => isFull) })
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  const transactionId = await server.paidTransaction()
  await receiver.count(1)
  await stub.advance(0)
  receiver.reply((_, response) => {
    isFull = true
    response.writeHead(503).end()
  })
  expect((await stub.request('PUT', '/stub/clock', { advanceSeconds: 3_600 })).status).toBe(500)
  expect(receiver.received).toHaveLength(2)
  isFull = false
  receiver.reply(answering(200))
  await stub.advance(3_600)
  const [delivery] = await stub.deliveries(transactionId)
  expect([delivery?.state, delivery?.attempts.length]).toEqual(['acknowledged', 3])
  await stub.close()
})

/** Lets no write reach the disk while it is full. */
function failWhen({ platform }: ControlParts, isFull: () => boolean): void {
  const { transact } = platform
  const failing: typeof transact = (work) => (isFull() ? refuse('STORE_FULL') : transact(work))
  Object.assign(platform, { transact: failing })
}
