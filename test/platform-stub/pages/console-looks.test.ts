import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { notTakenYet } from '../../../contract/events.ts'
import { limits } from '../../../contract/limits.ts'
import { readPage } from '../fixtures/page.ts'
import { answering, startReceiver } from '../fixtures/receiver.ts'
import { startStub } from '../fixtures/stub.ts'

test('the question of an agent for the time is not a refused signature, and a bad signature is one', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const refused = async () => {
    const overview = await readPage(`${stub.url}/console/overview`)
    const list = await readPage(`${stub.url}/console/requests?show=refused`)
    return [overview.textOf('a[href="/console/requests?show=refused"] strong'), list.textsOf('li.entry').length]
  }
  await fetch(`${stub.url}/v1/api/market/eligibility/clock`)
  expect(await refused()).toEqual(['0', 0])
  const all = await readPage(`${stub.url}/console/requests`)
  expect(all.textOf('li.entry')).toContain('without credentials: an agent asks for the platform’s time like this')
  await server.call('market.eligibility', { characterRef: 'c' }, { claims: { kid: 'unknown' } })
  await server.call('market.eligibility', { characterRef: 'c' }, { headers: { 'X-Platform-Signature': undefined } })
  expect(await refused()).toEqual(['2', 2])
})

test('the first attempt is told as the first while it is under way', async () => {
  const held: ServerResponse[] = []
  await using receiver = await startReceiver((_, response) => held.push(response))
  await using stub = await startStub()
  const transactionId = await (await stub.gameServer({ webhookUrl: receiver.url })).paidTransaction()
  await receiver.count(1)
  const transaction = await readPage(`${stub.url}/console/transactions/${transactionId}`)
  expect(transaction.textOf('section[aria-labelledby="next"]')).toContain('2xx to transfer_order, attempt 1 under way')
  const delivery = await readPage(`${stub.url}/console/webhooks/1`)
  expect(delivery.textOf('main')).toContain('Next try under way')
  const list = await readPage(`${stub.url}/console/webhooks`)
  expect(list.textOf('td[data-name="Next try"]')).toBe('under way')
  for (const response of held) response.end()
})

test('a refused signature is explained in the language of the page', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const other = await stub.gameServer()
  const changes = [
    { headers: { 'X-Service-Api-Key': undefined } },
    { headers: { 'X-Service-Api-Key': other.apiKey } },
    { headers: { 'X-Platform-Signature': 'a=.b' } },
    { claims: { kid: 'unknown' } },
    { claims: { exp: 1 } },
    { claims: { htm: 'PATCH' } },
    { claims: { htu: `${stub.url}/elsewhere` } },
    { sentBody: '{}' },
  ]
  for (const change of changes) await server.call('market.adjust-stock', { itemRef: 'x', observedQuantity: 1 }, change)
  const explained = async (lang: string) => {
    const pages = changes.map((_, at) =>
      readPage(`${stub.url}/console/requests/${at + 1}`, { headers: { 'Accept-Language': lang } }),
    )
    const facts = (await Promise.all(pages)).map(({ root }) => root.querySelectorAll('.checked .pairs dd').slice(0, 2))
    expect(facts.flat().flatMap((fact) => fact.querySelectorAll('[lang]'))).toEqual([])
    return facts.map((pair) => pair.map(({ structuredText }) => structuredText.replaceAll(/\s+/g, ' ').trim()))
  }
  const [english, portuguese] = [await explained('en'), await explained('pt-BR')]
  expect(english.slice(-3)).toEqual([
    ['the htm of this request: PUT', '"PATCH"'],
    ['an htu with the path of this request: /v1/api/market/listings', `"${stub.url}/elsewhere"`],
    ['a signature by this kid over the received bytes', 'a signature by this kid over other bytes'],
  ])
  expect(portuguese.at(-1)).toEqual([
    'uma assinatura deste kid sobre os bytes recebidos',
    'uma assinatura deste kid sobre outros bytes',
  ])
  for (const [at, [expected]] of portuguese.entries()) expect(expected).not.toBe(english[at]?.[0])
})

test('a fault that is set shows on every page with its operation, until it has happened', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  await stub.request('POST', '/stub/faults', { kind: 'status', status: 503, operation: 'market.eligibility' })
  await stub.request('POST', '/stub/webhook-faults', { kind: 'duplicate', event: 'transfer_order', times: 2 })
  const places = ['/overview', '/transactions', '/requests', '/webhooks', '/listings', '/game-servers', '/first-sale']
  const notice = '.notice.argued'
  for (const place of places) {
    const lines = (await readPage(`${stub.url}/console${place}`)).textsOf(`${notice} li`)
    expect(lines, place).toEqual([
      'status 1 × Partner requests market.eligibility status 503',
      'duplicate 2 × Webhooks transfer_order copies 1',
    ])
  }
  await server.call('market.eligibility', { characterRef: 'c' })
  await stub.request('DELETE', '/stub/webhook-faults')
  expect((await readPage(`${stub.url}/console/overview`)).root.querySelector(notice)).toBe(null)
})

test('the list of webhooks colours a failure as one, and an order that is not taken yet as waiting', async () => {
  await using receiver = await startReceiver(answering(503, { error: 'down' }))
  await using stub = await startStub()
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  const answered = async (id: number) => {
    await expect.poll(async () => (await stub.deliveries(id))[0]?.attempts.length).toBe(1)
    const { root } = await readPage(`${stub.url}/console/webhooks`)
    const badge = root.querySelector('td[data-name="Last answer"] .badge')
    return [badge?.classNames, badge?.text]
  }
  expect(await answered(await server.paidTransaction())).toEqual(['badge bad', '503'])
  receiver.reply(answering(notTakenYet.status, notTakenYet.body))
  const id = await server.paidTransaction({ itemRef: 'sword-2' })
  expect(await answered(id)).toEqual(['badge wait', '503, not taken yet by the game server'])
})

test('the overview says which paid orders wait for the game server', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const waiting = async () =>
    (await readPage(`${stub.url}/console/overview`)).textOf('section[aria-labelledby="waiting"]')
  expect(await waiting()).toContain('Nothing: every paid order was delivered or is over.')
  await server.purchase({ itemRef: 'unpaid' })
  const transactionId = await server.paidTransaction({ quantity: 2 })
  expect(await waiting()).toMatch(/no\. 2 2 × Espada Rúnica buyer paid now.*delivery or delivery-failure/)
  expect(await waiting()).not.toContain('no. 1 ')
  await server.call('transaction.delivery', { transactionId })
  expect(await waiting()).toContain('Nothing:')
})

test('a request and a webhook show every header, without credentials', async () => {
  await using receiver = await startReceiver((_, response) => {
    response.writeHead(200, { 'X-Game': 'aurora', 'Content-Type': 'application/json' })
    response.end('{"observedQuantity":1}')
  })
  await using stub = await startStub()
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  const transactionId = await server.paidTransaction()
  await expect.poll(async () => (await stub.deliveries(transactionId))[0]?.state).toBe('acknowledged')
  const token = `Bearer ${server.apiKey}`
  await server.call('market.eligibility', { characterRef: 'c' }, { headers: { Authorization: token, 'X-Trace': '7' } })
  const headersOn = async (path: string) => {
    const page = await readPage(stub.url + path)
    const [names, values] = [page.textsOf('.headers dt'), page.textsOf('.headers dd')]
    return { page, headers: names.map((name, at) => [name, values[at]]) }
  }
  const { page, headers } = await headersOn('/console/requests/3')
  const shown = Object.fromEntries(headers.map(([name = '', value]) => [name.toLowerCase(), value]))
  expect(shown).toMatchObject({
    'x-service-api-key': '***',
    authorization: '***',
    'x-trace': '7',
    host: stub.url.slice(7),
  })
  expect(shown['x-platform-signature']).toMatch(/^eyJ[\w-]+\.\.\*\*\*$/)
  expect(page.text).not.toContain(server.apiKey)

  const [received] = receiver.received
  const sent = received?.rawHeaders.flatMap((name, at, all) => (at % 2 === 0 ? [[name, all[at + 1]]] : [])) ?? []
  const webhook = await headersOn('/console/webhooks/1')
  expect(webhook.headers.slice(0, sent.length)).toEqual(sent)
  expect(webhook.headers.slice(sent.length)).toContainEqual(['X-Game', 'aurora'])
})

test('of old requests long headers are not kept', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const long = 'x'.repeat(limits.envelopeHeaderBytesMax)
  const call = (headers: Record<string, string>) =>
    server.call('market.eligibility', { characterRef: 'c' }, { headers })
  await call({ 'X-Long': long })
  for (let count = 0; count < 100; count++) await call({})
  const page = await readPage(`${stub.url}/console/requests/1`)
  expect(page.text).not.toContain(long)
  expect(page.textOf('main')).toContain('Not kept: long headers')
})

test('the other lists are short whatever names were given', async () => {
  await using stub = await startStub()
  const long = '&'.repeat(25_000)
  const server = await stub.gameServer({ name: long })
  for (let count = 0; count < 10; count++) {
    await server.listing({ itemName: long, itemRef: `${count}${long}` })
    const bought = { itemRef: `${count}${long}`, quantity: 1, buyerCharacterRef: 'b' }
    const { data } = await server.call('transaction.create', bought)
    await stub.pay(data.transactionId)
  }
  for (const path of ['overview', 'transactions', 'listings', 'webhooks', 'game-servers', 'faults']) {
    const { text } = await readPage(`${stub.url}/console/${path}`)
    expect([path, text.length < 200_000]).toEqual([path, true])
  }
})

test('the list of requests is short whatever was sent, and the page of a request has all of it', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const long = '&'.repeat(60_000)
  const listing = { itemRef: 'i', quantityListed: 1, unitAmountCents: 100, sellerCharacterRef: 's' }
  const send = async () => {
    await fetch(`${stub.url}/v1/api/market/listings`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: long,
    })
    const texts = { gameItemId: 'g', itemName: long, attributes: 'a' }
    await server.call('market.register', { ...listing, ...texts }, { claims: { kid: 'unknown' } })
  }
  for (let count = 0; count < 25; count++) await send()
  const list = await readPage(`${stub.url}/console/requests`)
  expect(list.textsOf('li.entry')).toHaveLength(50)
  expect(list.text.length).toBeLessThan(1_000_000)
  expect(list.text).not.toContain('&amp;'.repeat(5_000))
  expect(list.textOf('#request-49 details')).toContain('on the page of the request')
  expect(list.attributesOf('#request-50 details.wait a', 'href')).toEqual(['/console/requests/50'])
  const raw = await readPage(`${stub.url}/console/requests/49`)
  expect(raw.root.querySelector('pre')?.rawText).toBe('&amp;'.repeat(60_000))
  expect((await readPage(`${stub.url}/console/requests/50`)).text).toContain('&amp;'.repeat(60_000))
})
