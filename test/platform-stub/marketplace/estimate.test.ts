import fc from 'fast-check'
import { expect, test } from 'vitest'
import { estimateStock, type StockFacts } from '../../../platform-stub/marketplace/listings/estimate.ts'
import { startStub } from '../fixtures/stub.ts'

const unobserved: StockFacts = { quantityListed: 5, quantitySold: 2, observedQuantity: null, observedAt: null }

test('the estimate is the smaller of what is left unsold and what was observed', () => {
  const seen = (observedQuantity: number) => ({ ...unobserved, observedQuantity, observedAt: 1_000 })
  expect(estimateStock(unobserved, 2_000, 60_000)).toEqual({ exact: 3, observed: null, available: 3 })
  expect(estimateStock(seen(1), 2_000, 60_000)).toEqual({ exact: 3, observed: 1, available: 1 })
  expect(estimateStock(seen(4), 2_000, 60_000)).toEqual({ exact: 3, observed: 4, available: 3 })
  expect(estimateStock(seen(0), 2_000, 60_000).available).toBe(0)
})

test('an observation counts up to its freshness, that moment included, and then is unknown', () => {
  const seen = { ...unobserved, observedQuantity: 1, observedAt: 1_000 }
  expect(estimateStock(seen, 61_000, 60_000).available).toBe(1)
  expect(estimateStock(seen, 61_001, 60_000).available).toBe(3)
})

test('an observation can refuse a purchase, never allow one', () => {
  const count = fc.nat(1_000)
  const moment = fc.integer({ min: 0, max: 10_000_000 })
  fc.assert(
    fc.property(count, count, count, moment, moment, moment, (listed, sold, observed, at, now, freshness) => {
      const without = { quantityListed: listed, quantitySold: sold, observedQuantity: null, observedAt: null }
      const withOne = { ...without, observedQuantity: observed, observedAt: at }
      const { available } = estimateStock(withOne, now, freshness)
      expect(available).toBeLessThanOrEqual(estimateStock(without, now, freshness).available)
      expect(available).toBeGreaterThanOrEqual(0)
      if (now - at <= freshness) expect(available).toBeLessThanOrEqual(observed)
    }),
  )
})

test('a purchase beyond the estimate is refused with the quantity left', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  await server.listing()
  const buy = async (quantity: number) => {
    const answer = await server.call('transaction.create', { itemRef: 'sword-1', quantity, buyerCharacterRef: 'b' })
    return [answer.status, answer.message]
  }
  expect(await buy(6)).toEqual([409, 'Restam apenas 5 unidades deste item.'])
  await server.call('market.adjust-stock', { itemRef: 'sword-1', observedQuantity: 1 })
  expect(await buy(2)).toEqual([409, 'Resta apenas 1 unidade deste item.'])
  await server.call('market.adjust-stock', { itemRef: 'sword-1', observedQuantity: 0 })
  expect(await buy(1)).toEqual([409, 'Este item está esgotado.'])
  await server.call('market.adjust-stock', { itemRef: 'sword-1', observedQuantity: 2 })
  expect(await buy(1)).toEqual([200, undefined])
})

test('an old observation lets the purchase pass, by the clock of the stub', async () => {
  await using stub = await startStub({ settings: { observationFreshnessMs: 60_000 } })
  const server = await stub.gameServer()
  await server.listing()
  await server.call('market.adjust-stock', { itemRef: 'sword-1', observedQuantity: 0 })
  const buy = () => server.call('transaction.create', { itemRef: 'sword-1', quantity: 1, buyerCharacterRef: 'b' })
  await stub.advance(50)
  expect((await buy()).status).toBe(409)
  await stub.advance(11)
  expect((await buy()).status).toBe(200)
})

test('the estimate is checked again before the charge; the purchase waits for stock to come back', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const transactionId = await server.purchase({ quantity: 2 })
  await server.call('market.adjust-stock', { itemRef: 'sword-1', observedQuantity: 1 })
  const refused = await stub.pay(transactionId)
  expect([refused.status, refused.message]).toEqual([409, 'Resta apenas 1 unidade deste item.'])
  expect((await stub.transaction(transactionId)).phase).toBe('awaiting-payment')
  await server.call('market.adjust-stock', { itemRef: 'sword-1', observedQuantity: 2 })
  expect((await stub.pay(transactionId)).status).toBe(200)
})

test('what is sold counts whatever was observed: two payments never sell the same item', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const first = await server.purchase({ quantity: 3 })
  const second = await server.purchase({ quantity: 3 })
  expect((await stub.pay(first)).status).toBe(200)
  const refused = await stub.pay(second)
  expect([refused.status, refused.message]).toEqual([409, 'Restam apenas 2 unidades deste item.'])
})

test('a withdrawn listing can be neither bought, adjusted nor paid, and withdrawing again finds it done', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const transactionId = await server.purchase()
  expect((await server.call('market.withdraw', { itemRef: 'sword-1' })).text).toBe('')
  const [withdrawn] = (await stub.request('GET', '/stub/listings')).data
  await stub.advance(5)
  expect((await server.call('market.withdraw', { itemRef: 'sword-1' })).status).toBe(200)
  expect((await stub.request('GET', '/stub/listings')).data).toEqual([withdrawn])
  expect(withdrawn).toMatchObject({ status: 'WITHDRAWN', withdrawnAt: expect.any(String) })
  const answers = [
    await server.call('market.adjust-stock', { itemRef: 'sword-1', observedQuantity: 1 }),
    await server.call('transaction.create', { itemRef: 'sword-1', quantity: 1, buyerCharacterRef: 'b' }),
    await stub.pay(transactionId),
  ]
  expect(answers.map(({ status, message }) => [status, message])).toEqual(
    Array(3).fill([409, 'Este anúncio foi retirado.']),
  )
})
