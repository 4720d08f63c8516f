import { expect, test } from 'vitest'
import type { PlatformOperationName } from '../../../contract/operations.ts'
import { readPage } from '../fixtures/page.ts'
import { offer, startStub } from '../fixtures/stub.ts'

const registration = { ...offer, sellerCharacterRef: 'seller' }

/** What is sent, and how the answer's message begins. */
const wrong: [PlatformOperationName, Record<string, unknown>, string][] = [
  ['character.link', {}, 'O campo "characterRef" é obrigatório'],
  ['character.link', { characterRef: '' }, 'O campo "characterRef" deve ser um texto não vazio'],
  ['character.link', { characterRef: 'a', characterName: 7 }, 'O campo "characterName" deve ser um texto'],
  ['market.register', { ...registration, itemRef: undefined }, 'O campo "itemRef" é obrigatório'],
  ['market.register', { ...registration, gameItemId: 5 }, 'O campo "gameItemId" deve ser um texto'],
  ['market.register', { ...registration, itemName: null }, 'O campo "itemName" deve ser um texto'],
  ['market.register', { ...registration, attributes: '' }, 'O campo "attributes" deve ser um texto de 1 a 255'],
  ['market.register', { ...registration, attributes: '⚔'.repeat(256) }, 'O campo "attributes" deve ser um texto de 1'],
  ['market.register', { ...registration, quantityListed: 0 }, 'O campo "quantityListed" deve ser um número inteiro a'],
  ['market.register', { ...registration, quantityListed: 1.5 }, 'O campo "quantityListed" deve ser um número inteiro'],
  ['market.register', { ...registration, unitAmountCents: -1 }, 'O campo "unitAmountCents" deve ser um número inteiro'],
  [
    'market.register',
    { ...registration, unitAmountCents: '1' },
    'O campo "unitAmountCents" deve ser um número inteiro',
  ],
  ['market.adjust-stock', { itemRef: 'a' }, 'O campo "observedQuantity" é obrigatório'],
  ['market.adjust-stock', { itemRef: 'a', observedQuantity: -1 }, 'O campo "observedQuantity" deve ser um número'],
  ['market.withdraw', {}, 'O campo "itemRef" é obrigatório'],
  ['transaction.create', { itemRef: 'a', buyerCharacterRef: 'b' }, 'O campo "quantity" é obrigatório'],
  ['transaction.create', { itemRef: 'a', quantity: 0, buyerCharacterRef: 'b' }, 'O campo "quantity" deve ser'],
  ['transaction.get', { transactionId: 'abc' }, 'O campo "transactionId" deve ser um número inteiro'],
  ['transaction.get', { transactionId: '01' }, 'O campo "transactionId" deve ser um número inteiro'],
  ['transaction.get', { transactionId: '9007199254740993' }, 'O campo "transactionId" deve ser um número inteiro'],
  ['transaction.delivery-failure', { transactionId: 1, observedQuantity: 1 }, 'O campo "reason" é obrigatório'],
  [
    'transaction.delivery-failure',
    { transactionId: 1, reason: 'LOST', observedQuantity: 1 },
    'O campo "reason" deve ser "OUT_OF_STOCK" ou "TEMPORARY"',
  ],
  [
    'transaction.delivery-failure',
    { transactionId: 1, reason: 'TEMPORARY' },
    'O campo "observedQuantity" é obrigatório',
  ],
]

test('a wrong field is named in a 400, on every route', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  await server.seller()
  for (const [name, input, beginning] of wrong) {
    const { status, message } = await server.call(name, input)
    expect([status, message?.slice(0, beginning.length)], `${name} ${JSON.stringify(input)}`).toEqual([400, beginning])
  }
})

test('attributes of 255 code points pass, however many bytes they are', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const attributes = '🗡'.repeat(255)
  expect((await server.listing({ attributes })).data.attributes).toBe(attributes)
})

test('the action of a PUT on listings is required and named', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const put = async (body: unknown) => {
    const { status, message } = await server.call('market.withdraw', {}, { body: JSON.stringify(body) })
    return [status, message]
  }
  expect(await put({ itemRef: 'a' })).toEqual([
    400,
    'O campo "action" é obrigatório: envie "ADJUST_STOCK" ou "WITHDRAW".',
  ])
  expect(await put({ itemRef: 'a', action: 'withdraw' })).toEqual([
    400,
    'O campo "action" deve ser "ADJUST_STOCK" ou "WITHDRAW"; foi recebido o texto "withdraw".',
  ])
})

test('the body of a delivery is an empty object and nothing else', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const answer = await server.call('transaction.delivery', { transactionId: 1 }, { body: '{"quantity":1}' })
  expect([answer.status, answer.message]).toEqual([400, 'O corpo desta rota deve ser um objeto JSON vazio: {}.'])
})

test('a path segment is decoded as text', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  await server.seller('Zé%2F%20Maria')
  const found = await server.call('market.eligibility', { characterRef: 'Zé/ Maria' })
  expect([found.status, found.data?.linked]).toEqual([200, true])
})

test('a seller without a requirement learns which, one at a time', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const steps: [Record<string, boolean> | null, string][] = [
    [null, 'O vendedor ainda não tem uma conta na plataforma.'],
    [{ account: true }, 'O personagem do vendedor não está vinculado a uma conta.'],
    [{ linked: true, banned: true }, 'O personagem do vendedor está banido.'],
    [{ banned: false, sellingBlocked: true }, 'As vendas deste vendedor estão bloqueadas. Fale com o suporte.'],
    [{ sellingBlocked: false }, 'O vendedor ainda não tem um recebedor aprovado para receber os pagamentos.'],
  ]
  for (const [state, expected] of steps) {
    if (state) await stub.request('PUT', `/stub/game-servers/${server.id}/characters/seller`, state)
    const { status, message } = await server.call('market.register', registration)
    expect([status, message]).toEqual([400, expected])
  }
})

test('an itemRef is used for ever in its game server, and free in another', async () => {
  await using stub = await startStub()
  const [one, other] = [await stub.gameServer(), await stub.gameServer()]
  await one.listing()
  expect((await one.listing()).status).toBe(409)
  await one.call('market.withdraw', { itemRef: 'sword-1' })
  const again = await one.listing({ itemName: 'Outra' })
  expect([again.status, again.message]).toEqual([409, 'O itemRef "sword-1" já foi usado e não pode ser usado de novo.'])
  expect((await other.listing()).status).toBe(200)
})

test('a price whose total no number can hold exactly is refused', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const answer = await server.listing({ unitAmountCents: Number.MAX_SAFE_INTEGER, quantityListed: 2 })
  expect([answer.status, answer.message?.includes('unitAmountCents')]).toEqual([400, true])
})

test("another game server's listings and transactions do not exist", async () => {
  await using stub = await startStub()
  const [one, other] = [await stub.gameServer(), await stub.gameServer()]
  const transactionId = await one.paidTransaction()
  const statuses = [
    await other.call('market.adjust-stock', { itemRef: 'sword-1', observedQuantity: 1 }),
    await other.call('market.withdraw', { itemRef: 'sword-1' }),
    await other.call('transaction.create', { itemRef: 'sword-1', quantity: 1, buyerCharacterRef: 'b' }),
    await other.call('transaction.get', { transactionId }),
    await other.call('transaction.delivery', { transactionId }),
    await other.call('transaction.delivery-failure', { transactionId, reason: 'OUT_OF_STOCK', observedQuantity: 0 }),
  ].map(({ status }) => status)
  expect(statuses).toEqual([404, 404, 404, 404, 404, 404])
  expect((await stub.transaction(transactionId)).phase).toBe('awaiting-server')
})

test('attributes are kept and shown as they were sent, white space and line breaks included', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const attributes = '  Ataque  120 \r\n\tDefesa\u00a040\n\n <b>rara</b> '
  expect((await server.listing({ attributes })).data.attributes).toBe(attributes)
  expect((await stub.request('GET', '/stub/listings')).data[0].attributes).toBe(attributes)
  const { checkoutUrl } = await stub.transaction(await server.purchase())
  expect((await readPage(checkoutUrl)).root.querySelector('blockquote')?.textContent).toBe(attributes)
})

test('a price in the body of a purchase changes nothing: it comes from the listing', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  await server.listing({ itemRef: 'offer-1', unitAmountCents: 1_050, quantityListed: 5 })
  const purchase = { itemRef: 'offer-1', quantity: 2, buyerCharacterRef: 'buyer' }
  const prices = { unitAmountCents: 1, totalAmountCents: 1, amountCents: 1, price: 1 }
  const { status, data } = await server.call('transaction.create', { ...purchase, ...prices })
  expect(status).toBe(200)
  expect(data).toMatchObject({ unitAmountCents: 1_050, totalAmountCents: 2_100 })
  await stub.pay(data.transactionId)
  expect((await stub.transaction(data.transactionId)).money).toMatchObject([{ kind: 'payment', amountCents: 2_100 }])
})
