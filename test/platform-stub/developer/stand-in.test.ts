import { expect, test } from 'vitest'
import { startReceiver } from '../fixtures/receiver.ts'
import { startStub } from '../fixtures/stub.ts'

const buyer = 'buyer'

test('a purchase made by a control route is the buyer’s own: same price, same checkout, same check of the stock', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const { data: listing } = await server.listing({ quantityListed: 2 })
  const buy = (body: object) => stub.request('POST', `/stub/listings/${listing.id}/buy`, body)
  const { status, data } = await buy({ quantity: 2, buyerCharacterRef: buyer })
  expect([status, data.phase, data.totalAmountCents, data.buyerCharacterRef]).toEqual([
    200,
    'awaiting-payment',
    2 * listing.unitAmountCents,
    buyer,
  ])
  expect((await stub.request('GET', new URL(data.checkoutUrl).pathname)).status).toBe(200)
  await stub.pay(data.transactionId)
  const refused = await buy({ quantity: 1, buyerCharacterRef: buyer })
  expect([refused.status, refused.message]).toEqual([409, 'Este item está esgotado.'])
  expect((await buy({ quantity: 0, buyerCharacterRef: buyer })).message).toContain('"quantity"')
  expect((await stub.request('POST', '/stub/listings/99/buy', { quantity: 1, buyerCharacterRef: buyer })).status).toBe(
    404,
  )
})

test('a delivery by a stand-in is a signed call of the game server on the partner route', async () => {
  await using receiver = await startReceiver()
  await using stub = await startStub()
  const server = await stub.gameServer({ keyFrom: 'stub', webhookUrl: receiver.url })
  const transactionId = await server.paidTransaction()
  const { status, data } = await stub.request('POST', `/stub/transactions/${transactionId}/deliver`)
  expect([status, data.deliveryStatus, data.outcome]).toEqual([200, 'ENTREGUE', 'CONCLUIDA'])
  const [entry] = (await stub.request('GET', '/stub/requests?limit=1')).data
  expect(entry).toMatchObject({
    operation: 'transaction.delivery',
    path: `/v1/api/transactions/${transactionId}/delivery`,
    gameServerId: server.id,
    kid: server.kid,
    status: 200,
  })
  await receiver.event('transaction_terminal', transactionId)
})

test('a failure by a stand-in refunds or puts off, with the observed stock', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer({ keyFrom: 'stub' })
  const fail = (id: number, body: object) => stub.request('POST', `/stub/transactions/${id}/fail`, body)
  const putOff = await server.paidTransaction()
  const { data: later } = await fail(putOff, { reason: 'TEMPORARY', observedQuantity: 3, detail: 'mailbox full' })
  expect([later.phase, later.retryAt]).toEqual(['awaiting-server', expect.any(String)])
  expect(later.history.at(-1).detail).toBe('mailbox full')
  const gone = await server.paidTransaction()
  const { data: refunded } = await fail(gone, { reason: 'OUT_OF_STOCK', observedQuantity: 0 })
  expect(refunded.outcome).toBe('ESTORNADA')
  const [listing] = (await stub.request('GET', '/stub/listings')).data
  expect(listing.observedQuantity).toBe(0)
  expect((await fail(putOff, { reason: 'TEMPORARY' })).message).toContain('"observedQuantity"')
  expect((await fail(99, { reason: 'TEMPORARY', observedQuantity: 1 })).status).toBe(404)
})

test('what the platform refuses or a fault breaks is said as it is', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer({ keyFrom: 'stub' })
  const transactionId = await server.purchase()
  const deliver = () => stub.request('POST', `/stub/transactions/${transactionId}/deliver`)
  const unpaid = await deliver()
  expect([unpaid.status, unpaid.message]).toEqual([409, expect.stringContaining('AGUARDANDO_PAGAMENTO')])
  await stub.pay(transactionId)
  const fault = (body: object) => stub.request('POST', '/stub/faults', { operation: 'transaction.delivery', ...body })
  await fault({ kind: 'status', status: 503 })
  expect([(await deliver()).status, (await stub.transaction(transactionId)).phase]).toEqual([503, 'awaiting-server'])
  await fault({ kind: 'status', status: 204 })
  expect((await deliver()).status).toBe(502)
  await fault({ kind: 'hang-up-after' })
  const lost = await deliver()
  expect([lost.status, lost.message]).toEqual([502, expect.stringContaining('sem resposta')])
  expect((await stub.transaction(transactionId)).phase).toBe('completed')
})

test('without the private key of a game server there is no stand-in for it, and the answer says why', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer({ keyFrom: 'game server' })
  const transactionId = await server.paidTransaction()
  const { status, message } = await stub.request('POST', `/stub/transactions/${transactionId}/deliver`)
  expect([status, message]).toEqual([409, expect.stringContaining('não tem a chave privada')])
  expect((await stub.transaction(transactionId)).phase).toBe('awaiting-server')
})
