import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { refuse } from '../../../platform-stub/marketplace/refusal.ts'
import { manualTime } from '../fixtures/manual-time.ts'
import { serve, temporaryFolder } from '../fixtures/process.ts'
import { answering, type ReceivedWebhook, startReceiver } from '../fixtures/receiver.ts'
import { startStub } from '../fixtures/stub.ts'

/** A stub on a machine whose time moves by hand, and a disk that can be full. */
async function startStubWithDisk() {
  const { time, pass } = manualTime()
  const refused = Promise.withResolvers<void>()
  const disk = { isFull: false }
  const full = new Error('no room at the commit')
  const stub = await startStub({
    time,
    async prepare({ platform }) {
      const { transact } = platform
      const failing: typeof transact = (work) => {
        if (!disk.isFull) return transact(work)
        refused.resolve()
        try {
          return transact(() => {
            work()
            throw full
          })
        } catch (error) {
          if (error !== full) throw error
          return refuse('STORE_FULL')
        }
      }
      Object.assign(platform, { transact: failing })
    },
  })
  return { stub, pass, disk, refused: refused.promise.then(() => setImmediate()) }
}

test('an attempt whose outcome found no room on the disk is recorded when there is room, and made again on its schedule', async () => {
  const { stub, pass, disk, refused } = await startStubWithDisk()
  await using receiver = await startReceiver((_, response) => {
    disk.isFull = true
    response.writeHead(503).end()
  })
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  const transactionId = await server.paidTransaction()
  await refused
  pass(1_000)
  disk.isFull = false
  receiver.reply(answering(200))
  pass(1_000)
  expect((await stub.deliveries(transactionId))[0]?.attempts).toMatchObject([{ number: 1, responseStatus: 503 }])
  expect(receiver.received).toHaveLength(1)
  pass(15_000)
  await receiver.count(2)
  await stub.advance(0)
  expect((await stub.deliveries(transactionId))[0]?.state).toBe('acknowledged')
  await stub.close()
})

test('an attempt that found no room on the disk to begin is not sent until there is room', async () => {
  const { stub, pass, disk, refused } = await startStubWithDisk()
  await using receiver = await startReceiver()
  const server = await stub.gameServer()
  const transactionId = await server.paidTransaction()
  await stub.request('PUT', `/stub/game-servers/${server.id}`, { webhookUrl: receiver.url })
  await receiver.count(1)
  await stub.advance(0)
  const [delivery] = await stub.deliveries(transactionId)
  await stub.request('POST', '/stub/webhook-faults', { kind: 'delay', delayMs: 500 })
  const resent = stub.request('POST', `/stub/webhooks/${delivery?.id}/resend`)
  await expect.poll(async () => (await stub.request('GET', '/stub/webhook-faults')).data).toEqual([])
  disk.isFull = true
  pass(500)
  await refused
  expect(receiver.received).toHaveLength(1)
  disk.isFull = false
  pass(1_000)
  await receiver.count(2)
  await stub.advance(0)
  expect((await resent).status).toBe(200)
  await stub.close()
})

const jtiOf = ({ headers }: ReceivedWebhook) => {
  const [segment = ''] = String(headers['x-platform-signature']).split('.')
  return JSON.parse(Buffer.from(segment, 'base64url').toString()).jti
}

test('an attempt that kill -9 cut off is made again with another jti, under --seed too', async () => {
  await using folder = await temporaryFolder()
  await using receiver = await startReceiver(() => undefined)
  {
    await using stub = await serve('--data-dir', folder.path, '--seed', '7')
    await (await stub.control.gameServer({ webhookUrl: receiver.url })).paidTransaction()
    await receiver.count(1)
    await stub.signal('SIGKILL')
  }
  receiver.reply(answering(200))
  await using _ = await serve('--data-dir', folder.path, '--seed', '7')
  await receiver.count(2)
  expect(new Set(receiver.received.map(jtiOf)).size).toBe(2)
})

test('an order that was not sent yet is not sent for an item that is delivered meanwhile', async () => {
  await using receiver = await startReceiver()
  await using stub = await startStub({ settings: { completionDelayMs: 3_600_000 } })
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  const transactionId = await server.paidTransaction()
  await receiver.count(1)
  await stub.advance(0)
  await server.call('transaction.delivery-failure', { transactionId, reason: 'TEMPORARY', observedQuantity: 4 })
  await server.call('transaction.delivery', { transactionId })
  await stub.advance(60)
  expect(receiver.received).toHaveLength(1)
  const [order] = await stub.deliveries(transactionId)
  expect(order).toMatchObject({ event: 'transfer_order', state: 'ended', attempts: [] })
})

test('an order that was sent and not acknowledged is sent again after the delivery, until the transaction is terminal', async () => {
  await using receiver = await startReceiver(answering(503))
  await using stub = await startStub({ settings: { completionDelayMs: 100_000 } })
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  const transactionId = await server.paidTransaction()
  await receiver.count(1)
  await stub.advance(0)
  await server.call('transaction.delivery', { transactionId })
  await stub.advance(99)
  const order = async () => (await stub.deliveries(transactionId)).find(({ event }) => event === 'transfer_order')
  expect(await order()).toMatchObject({ state: 'pending', attempts: [{ number: 1 }, { number: 2 }, { number: 3 }] })
  await stub.advance(10_000)
  expect(await order()).toMatchObject({ state: 'ended', attempts: [{ number: 1 }, { number: 2 }, { number: 3 }] })
})

test('a report that found no room on the disk leaves no line that it was reported', async () => {
  const { stub, disk } = await startStubWithDisk()
  const server = await stub.gameServer()
  const transactionId = await server.paidTransaction()
  const report = { transactionId, reason: 'TEMPORARY', observedQuantity: 4 }
  disk.isFull = true
  expect((await server.call('transaction.delivery-failure', report)).status).toBe(500)
  disk.isFull = false
  expect((await server.call('transaction.delivery-failure', report)).status).toBe(200)
  expect(stub.logLines.filter((line) => line.includes('delivery failure reported'))).toHaveLength(1)
  await stub.close()
})
