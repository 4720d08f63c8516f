import { expect, test } from 'vitest'
import type { ControlParts } from '../../../platform-stub/developer/control/control-parts.ts'
import { refuse } from '../../../platform-stub/marketplace/refusal.ts'
import { answering, startReceiver } from '../fixtures/receiver.ts'
import { startStub } from '../fixtures/stub.ts'

const century = { now: '2126-01-01T00:00:00Z' }

test.each([
  ['DELETE', '/stub/clock'],
  ['POST', '/stub/reset'],
])('%s %s breaks a clock jump off that would take for ever, and those that wait behind it', async (method, path) => {
  await using receiver = await startReceiver(answering(503))
  await using stub = await startStub()
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  await server.paidTransaction()
  const jumps = [century, century].map((body) => stub.request('PUT', '/stub/clock', body))
  await receiver.count(15)
  expect((await stub.request(method, path)).status).toBe(200)
  expect((await stub.request('GET', '/stub/clock')).data.travelling).toBe(false)
  for (const { status, data } of await Promise.all(jumps)) {
    expect(status).toBe(200)
    expect(Date.parse(data.now)).toBeLessThan(Date.parse(century.now))
  }
})

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
