import { expect, test } from 'vitest'
import { readPage } from '../fixtures/page.ts'
import { startReceiver } from '../fixtures/receiver.ts'
import { startStub } from '../fixtures/stub.ts'

test('a purchase goes from link to completion, and both webhooks say so', async () => {
  await using receiver = await startReceiver()
  await using stub = await startStub()
  const server = await stub.gameServer({ webhookUrl: receiver.url })

  const link = await server.call('character.link', { characterRef: 'seller', characterName: 'Aldebarã' })
  expect(link.status).toBe(200)
  expect((await fetch(link.data.url, { method: 'POST' })).status).toBe(200)
  const eligibility = await server.call('market.eligibility', { characterRef: 'seller' })
  expect(eligibility.data).toMatchObject({ allowed: false, linked: true, selling: { action: 'CREATE_RECIPIENT' } })

  const listing = await server.listing()
  expect(listing.data).toMatchObject({ itemRef: 'sword-1', status: 'ACTIVE', quantitySold: 0, observedQuantity: null })
  const adjusted = await server.call('market.adjust-stock', { itemRef: 'sword-1', observedQuantity: 3 })
  expect([adjusted.status, adjusted.text]).toEqual([200, ''])

  const created = await server.call('transaction.create', {
    itemRef: 'sword-1',
    quantity: 2,
    buyerCharacterRef: 'buyer',
  })
  const { transactionId } = created.data
  expect(created.data).toMatchObject({ paymentStatus: 'AGUARDANDO_PAGAMENTO', totalAmountCents: 2_500 })
  await stub.pay(transactionId)
  const order = await receiver.event('transfer_order')
  expect(order.event).toMatchObject({ transactionId, quantity: 2, itemRef: 'sword-1', sellerCharacterRef: 'seller' })

  const delivered = await server.call('transaction.delivery', { transactionId })
  expect(delivered.data).toMatchObject({ transactionId, paymentStatus: 'PAGO', deliveryStatus: 'ENTREGUE' })
  const terminal = await receiver.event('transaction_terminal')
  expect(terminal.event).toMatchObject({
    transactionId,
    paymentStatus: 'PAGO',
    deliveryStatus: 'ENTREGUE',
    reason: null,
  })
  const read = await server.call('transaction.get', { transactionId })
  expect(read.data.completedAt).toEqual(expect.any(String))
  await stub.advance(0)
  const [sold] = (await stub.request('GET', '/stub/listings')).data
  expect(sold).toMatchObject({ quantitySold: 2, observedQuantity: 4 })
})

test('an item out of stock is refunded, and the terminal webhook names the reason', async () => {
  await using receiver = await startReceiver()
  await using stub = await startStub()
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  const transactionId = await server.paidTransaction({ quantity: 2 })

  const failed = await server.call('transaction.delivery-failure', {
    transactionId,
    reason: 'OUT_OF_STOCK',
    observedQuantity: 0,
    detail: 'vendido no jogo',
  })
  expect(failed.data).toEqual({
    transactionId,
    paymentStatus: 'PAGO',
    deliveryStatus: 'FALHOU',
    refundStarted: true,
    retryAt: null,
  })
  const terminal = await receiver.event('transaction_terminal')
  expect(terminal.event).toMatchObject({
    transactionId,
    paymentStatus: 'ESTORNADO',
    deliveryStatus: 'FALHOU',
    reason: 'OUT_OF_STOCK',
  })
  const [listing] = (await stub.request('GET', '/stub/listings')).data
  expect(listing).toMatchObject({ quantitySold: 0, observedQuantity: 0, estimate: { available: 0 } })
  const story = await stub.transaction(transactionId)
  expect(story.history.map(({ trigger }) => trigger)).toEqual(['create', 'pay', 'fail-out-of-stock', 'refund'])
  expect(story.history[2]?.detail).toBe('vendido no jogo')
  expect(story.money).toMatchObject([
    { kind: 'payment', amountCents: 2_500 },
    { kind: 'refund', amountCents: 2_500 },
  ])
})

test('the detail of a failure is for logs and staff: the buyer never reads it', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const detail = 'item-42 duplicado pelo jogador Fulano'
  for (const reason of ['TEMPORARY', 'OUT_OF_STOCK']) {
    const transactionId = await server.paidTransaction({ itemRef: `item-${reason}` })
    const report = { transactionId, reason, observedQuantity: 0, detail }
    expect((await server.call('transaction.delivery-failure', report)).status).toBe(200)
    await stub.advance(0)
    const story = await stub.transaction(transactionId)
    expect(story.history.some((move) => move.detail === detail)).toBe(true)
    const logged = stub.logLines.map((line) => JSON.parse(line)).filter((line) => line.transactionId === transactionId)
    expect(logged).toContainEqual(expect.objectContaining({ msg: 'delivery failure reported', reason, detail }))
    const screen = await readPage(`${stub.url}/console/transactions/${transactionId}`)
    expect(screen.textOf('section[aria-labelledby="reported"]')).toContain(detail)
    expect(screen.textsOf('p.wrap')).toContain(detail)
    const page = await (await fetch(story.checkoutUrl)).text()
    expect(page).toContain('Espada Rúnica')
    expect(page).not.toContain('Fulano')
  }
})
