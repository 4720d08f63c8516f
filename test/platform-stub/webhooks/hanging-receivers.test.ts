import { generateKeyPairSync } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { openDatabase } from '../../../platform-stub/store/open.ts'
import { prepareTables } from '../../../platform-stub/store/tables.ts'
import { manualTime } from '../fixtures/manual-time.ts'
import { manyPurchases, staging } from '../fixtures/many-orders.ts'
import { temporaryFolder } from '../fixtures/process.ts'
import { answering, startReceiver } from '../fixtures/receiver.ts'
import { startStub } from '../fixtures/stub.ts'

const hangingCount = 10
const answeringCount = 40
const deliveriesEach = 50
/** Attempts at once towards one receiver. */
const slots = 16

/** Receivers of which the first ones never answer. */
async function startReceivers() {
  const numbers = Array.from({ length: hangingCount + answeringCount }, (_, number) => number)
  const never = () => undefined
  const receivers = await Promise.all(
    numbers.map((number) => startReceiver(number < hangingCount ? never : answering(200))),
  )
  return {
    urls: receivers.map(({ url }) => url),
    received: () => receivers.map(({ received }) => received.length),
    allAnswered: () => Promise.all(receivers.slice(hangingCount).map((receiver) => receiver.count(deliveriesEach))),
    async [Symbol.asyncDispose]() {
      await Promise.all(receivers.map((receiver) => receiver[Symbol.asyncDispose]()))
    },
  }
}

const pair = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})

/** A platform that has this many orders to deliver to each of its game servers, all of them due. */
function fillQueue(directory: string, urls: readonly string[], createdAt: number): void {
  const database = openDatabase(directory)
  const tables = prepareTables(database, () => undefined)
  database.exec('begin')
  tables.platform.setKey({ kid: 'platform-1', privateKeyPem: pair.privateKey, publicKeyPem: pair.publicKey })
  for (const [at, webhookUrl] of urls.entries()) {
    const gameServerId = at + 1
    tables.gameServers.insert({ id: gameServerId, name: `g${at}`, apiKey: `key-${at}`, webhookUrl, createdAt })
    const listing = tables.listings.insert({
      gameServerId,
      itemRef: 'i',
      gameItemId: 'g',
      itemName: 'n',
      attributes: 'a',
      unitAmountCents: 1,
      quantityListed: deliveriesEach,
      sellerCharacterRef: 's',
      createdAt,
    })
    for (let n = 0; n < deliveriesEach; n++) {
      const id = at * deliveriesEach + n + 1
      const transaction = tables.transactions.insert({
        id,
        gameServerId,
        listingId: listing?.id ?? 0,
        quantity: 1,
        unitAmountCents: 1,
        buyerCharacterRef: 'b',
        checkoutToken: `token-${id}`,
        createdAt,
        expiresAt: createdAt + 3_600_000,
      })
      const paid = { paymentStatus: 'PAGO', deliveryStatus: 'AGUARDANDO_SERVIDOR', paidAt: createdAt } as const
      tables.transactions.update({ ...transaction, ...paid })
      const order = { event: 'transfer_order', transactionId: id, itemRef: 'i', quantity: 1 }
      const characters = { buyerCharacterRef: 'b', sellerCharacterRef: 's' }
      const payload = JSON.stringify({ ...order, ...characters, paidAt: new Date(createdAt).toISOString() })
      const delivery = { gameServerId, transactionId: id, event: 'transfer_order', payload } as const
      tables.webhooks.insert({ ...delivery, createdAt, nextAttemptAt: createdAt })
    }
  }
  database.exec('commit')
  database.close()
}

test('receivers that never answer occupy sixteen attempts each and delay no delivery to another receiver', async () => {
  await using folder = await temporaryFolder()
  await using receivers = await startReceivers()
  // No time passes: an attempt that hangs never ends, and a delivery that waited for one would never be made.
  const { time, pass } = manualTime()
  fillQueue(folder.path, receivers.urls, time.nowMs())
  const stub = await startStub({ dataDirectory: folder.path, time })
  await receivers.allAnswered()
  const others = Array(answeringCount).fill(deliveriesEach)
  expect(receivers.received()).toEqual([...Array(hangingCount).fill(slots), ...others])
  const closed = stub[Symbol.asyncDispose]()
  pass(10_000)
  await closed
})

test('a webhook that is sent again is answered after its attempt, even if it had to wait for a slot', async () => {
  const held: ServerResponse[] = []
  await using receiver = await startReceiver((_, response) => {
    if (held.length < slots) held.push(response)
    else response.end()
  })
  await using stub = await startStub({ prepare: staging(manyPurchases(slots + 1, 'awaiting-server', receiver.url)) })
  await receiver.count(slots)
  const sent = receiver.received.map(({ event }) => event.transactionId)
  const { data: all } = await stub.request('GET', '/stub/webhooks')
  const waiting = all.find(({ transactionId }: { transactionId: number }) => !sent.includes(transactionId))
  const resent = stub.request('POST', `/stub/webhooks/${waiting.id}/resend`)
  await stub.request('GET', '/health')
  for (const response of held) response.end()
  expect((await resent).data).toMatchObject({ state: 'acknowledged', attemptCount: 1 })
})
