import { request } from 'node:http'
import { expect, test } from 'vitest'
import { authenticationSteps } from '../../../platform-stub/pages/console/authentication-steps.ts'
import { en } from '../../../platform-stub/pages/texts/en.ts'
import { openDatabase } from '../../../platform-stub/store/open.ts'
import { type ReadPage, readPage } from '../fixtures/page.ts'
import { temporaryFolder } from '../fixtures/process.ts'
import { answering, startReceiver } from '../fixtures/receiver.ts'
import { type CallChanges, startStub } from '../fixtures/stub.ts'

test('the console lists the checks of credentials in the order in which they are made, each with its help', async () => {
  expect(Object.keys(en.stepHelp)).toEqual(authenticationSteps)
  await using stub = await startStub()
  const server = await stub.gameServer()
  const other = await stub.gameServer()
  const observation = { itemRef: 'x', observedQuantity: 1 }
  await server.call('market.adjust-stock', observation, { jti: 'used' })
  // Each request has one more thing wrong than the one before it: the check that comes first finds it.
  const changes: { -readonly [Name in keyof CallChanges]: CallChanges[Name] } = { jti: 'used' }
  const found: string[] = []
  const send = async (name: string, more: CallChanges) => {
    Object.assign(changes, more, {
      claims: { ...changes.claims, ...more.claims },
      headers: { ...changes.headers, ...more.headers },
    })
    await server.call('market.adjust-stock', observation, changes)
    const [entry] = (await stub.request('GET', '/stub/requests?limit=1')).data
    found.push(entry.authentication.step)
    expect(found.at(-1)).toBe(name)
  }
  await send('replay', {})
  await send('api-key-owner', { headers: { 'X-Service-Api-Key': other.apiKey } })
  await send('signature', { sentBody: '{}' })
  await send('url', { claims: { htu: `${stub.url}/elsewhere` } })
  await send('method', { claims: { htm: 'GET' } })
  await send('jti', { claims: { jti: '' } })
  await send('expiry', { claims: { exp: 1 } })
  await send('kid', { claims: { kid: 'unknown' } })
  await send('algorithm', { claims: { alg: 'RS512' } })
  await send('forbidden-parameter', { claims: { jku: 'http://127.0.0.1' } })
  await send('json', { headers: { 'X-Platform-Signature': `${Buffer.from('{').toString('base64url')}..AAAA` } })
  await send('encoding', { headers: { 'X-Platform-Signature': `${Buffer.from('{').toString('base64url')}=..AAAA` } })
  await send('segments', { headers: { 'X-Platform-Signature': 'a=.b' } })
  await send('header-line', { headers: { 'X-Platform-Signature': undefined } })
  await send('api-key', { headers: { 'X-Service-Api-Key': undefined } })
  expect(found.toReversed()).toEqual(authenticationSteps)
})

test('the console is for this machine, by a local name; another page may link to it but not read it', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const statusOf = (path: string, headers: Record<string, string>) => statusWith(`${stub.url}${path}`, headers)
  const followed = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' }
  expect(await statusOf('/console/overview', {})).toBe(200)
  expect(await statusOf('/console', { Host: 'evil.example' })).toBe(403)
  expect(await statusOf('/console', { Origin: 'https://evil.example' })).toBe(403)
  expect(await statusOf('/console', { 'Sec-Fetch-Site': 'cross-site' })).toBe(403)
  expect(await statusOf('/console', { ...followed, 'Sec-Fetch-Dest': 'iframe' })).toBe(403)
  expect(await statusOf('/console/overview', followed)).toBe(200)
  expect(await statusOf('/console/changes', { 'Sec-Fetch-Site': 'cross-site' })).toBe(403)
  // Keys are not even given to a person who followed a link.
  for (const file of ['agent.env', 'platform-public-key.pem']) {
    expect(await statusOf(`/console/game-servers/${server.id}/${file}`, {})).toBe(200)
    expect(await statusOf(`/console/game-servers/${server.id}/${file}`, followed)).toBe(403)
  }
})

test('a private key can be taken of the pairs that the stub made, and of no other', async () => {
  await using stub = await startStub()
  const own = await stub.gameServer()
  const { data } = await stub.request('POST', '/stub/game-servers', { name: 'made by the stub' })
  const keyOf = (id: number) => fetch(`${stub.url}/console/game-servers/${id}/signing-key.pem`)
  expect((await keyOf(own.id)).status).toBe(404)
  expect(await (await keyOf(data.gameServerId)).text()).toBe(data.privateKeyPem)
  expect((await keyOf(99)).status).toBe(404)
})

test('transactions are found by phase, number, item and character, whatever signs the search holds', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  await server.paidTransaction({ itemRef: 'a%b' })
  await server.purchase({ itemRef: 'axb' })
  await server.purchase({ itemRef: 'lança' })
  const found = async (query: string) => {
    const page = await readPage(`${stub.url}/console/transactions?${query}`)
    return page.attributesOf('tbody tr', 'id').map((id) => Number(id.replace('row-', '')))
  }
  expect(await found('')).toEqual([3, 2, 1])
  expect(await found('phase=awaiting-server')).toEqual([1])
  expect(await found('phase=unknown')).toEqual([3, 2, 1])
  expect(await found('search=2')).toEqual([2])
  expect(await found(`search=${encodeURIComponent('2 swords')}`)).toEqual([])
  expect(await found('search=2.0')).toEqual([])
  expect(await found(`search=${encodeURIComponent('a%b')}`)).toEqual([1])
  expect(await found(`search=${encodeURIComponent('lanç')}`)).toEqual([3])
  expect(await found('search=buyer')).toEqual([3, 2, 1])
  expect(await found(`search=${encodeURIComponent("'; drop table transactions --")}`)).toEqual([])
})

test('of ten thousand transactions a page shows fifty and links to the next', async () => {
  await using folder = await temporaryFolder()
  await (await startWithTransaction(folder.path)).close()
  multiplyTransactions(folder.path, 10_000)
  await using stub = await startStub({ dataDirectory: folder.path })
  const numbers: number[] = []
  let path: string | undefined = '/console/transactions'
  for (let page = 0; page < 3 && path; page++) {
    const shown = await readPage(stub.url + path)
    numbers.push(...shown.attributesOf('tbody tr', 'id').map((id) => Number(id.replace('row-', ''))))
    path = nextPage(shown)
    expect(shown.text.length).toBeLessThan(150_000)
    expect(shown.textOf('a[aria-current="true"]')).toBe('all 10,000')
  }
  expect(numbers).toEqual(Array.from({ length: 150 }, (_, at) => 10_000 - at))
  const overview = await readPage(`${stub.url}/console/overview`)
  expect(overview.textOf('.tiles a[href="/console/transactions"] strong')).toBe('10,000')
  expect(overview.text.length).toBeLessThan(150_000)
})

test('of a thousand attempts the page of a delivery shows fifty and links to the next, and a list the newest twenty', async () => {
  await using folder = await temporaryFolder()
  const made = await startStub({ dataDirectory: folder.path })
  await using receiver = await startReceiver(answering(503, { error: 'x'.repeat(2_000) }))
  const transactionId = await (await made.gameServer({ webhookUrl: receiver.url })).paidTransaction()
  await receiver.count(1)
  await made.close()
  multiplyAttempts(folder.path, 1_000)
  await using stub = await startStub({ dataDirectory: folder.path })
  const pages: number[][] = []
  let path: string | undefined = '/console/webhooks/1'
  while (path) {
    const page = await readPage(stub.url + path)
    expect(page.textsOf('h2')).toContain('1,000 attempts')
    expect(page.text.length).toBeLessThan(300_000)
    pages.push(page.textsOf('li.card h3').map((heading) => Number(heading.replace('Attempt ', ''))))
    path = nextPage(page)
  }
  expect(pages.map(({ length }) => length)).toEqual(Array.from({ length: 20 }, () => 50))
  expect(pages.flat()).toEqual(Array.from({ length: 1_000 }, (_, at) => 1_000 - at))
  const [delivery] = (await stub.request('GET', `/stub/webhooks?transactionId=${transactionId}`)).data
  expect(delivery.attemptCount).toBe(1_000)
  expect(delivery.attempts.map(({ number }: { number: number }) => number)).toEqual(
    Array.from({ length: 20 }, (_, at) => 981 + at),
  )
  const transaction = await readPage(`${stub.url}/console/transactions/${transactionId}`)
  expect(transaction.textOf('.timeline')).toContain('attempt 1000 ')
  expect(transaction.textOf('.timeline')).not.toContain('attempt 900 ')
})

test('attempts that a fault made of one, and requests of one moment, have names of their own on a page', async () => {
  await using receiver = await startReceiver(answering(200, { observedQuantity: 1 }))
  await using stub = await startStub()
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  await stub.request('POST', '/stub/webhook-faults', { kind: 'duplicate', copies: 2 })
  const transactionId = await server.paidTransaction()
  await receiver.count(3)
  await expect.poll(async () => (await stub.deliveries(transactionId))[0]?.state).toBe('acknowledged')
  await stub.request('PUT', '/stub/clock', { advanceSeconds: 0 })
  await Promise.all(Array.from({ length: 20 }, () => server.call('market.eligibility', { characterRef: 'c' })))
  for (const [path, name, count] of [
    ['/console/webhooks/1', 'attempt', 3],
    ['/console/requests', 'request', 20],
  ] as const) {
    const ids = (await readPage(stub.url + path)).attributesOf('[id]', 'id')
    expect(new Set(ids).size, path).toBe(ids.length)
    expect(ids.filter((id) => new RegExp(`^${name}-\\d+$`).test(id)).length).toBeGreaterThanOrEqual(count)
  }
})

test('every request of the journal and every character of a game server is on some page', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const refs = Array.from({ length: 60 }, (_, at) => `char-${String(at).padStart(2, '0')}`)
  for (const ref of refs) await server.seller(ref)
  for (const characterRef of refs) await server.call('market.eligibility', { characterRef })
  const followed = async (path: string, entry: (page: ReadPage) => string[]) => {
    const found: string[][] = []
    for (let next: string | undefined = path; next; ) {
      const page: ReadPage = await readPage(stub.url + next)
      found.push(entry(page))
      next = nextPage(page)
    }
    return found
  }
  const characters = await followed(`/console/game-servers/${server.id}`, (page) =>
    page.attributesOf('tbody tr', 'id').map((id) => id.replace('row-', '')),
  )
  expect(characters.map(({ length }) => length)).toEqual([50, 10])
  expect(characters.flat()).toEqual(refs)
  const requests = await followed('/console/requests?show=all', (page) =>
    page.textsOf('li.entry code.strong').map((line) => line.replace('GET /v1/api/market/eligibility/', '')),
  )
  expect(requests.map(({ length }) => length)).toEqual([50, 10])
  expect(requests.flat()).toEqual(refs.toReversed())
})

test('an order that was taken without its stock has a remark, in the console’s list of attempts and in the history', async () => {
  await using receiver = await startReceiver(answering(200, { ok: true }))
  await using stub = await startStub()
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  const transactionId = await server.paidTransaction()
  await receiver.count(1)
  await expect.poll(async () => (await stub.deliveries(transactionId))[0]?.state).toBe('acknowledged')
  const remark = '200, no observedQuantity in the answer: the stock stays as it was'
  const badges = async (path: string, tone: string) =>
    (await readPage(`${stub.url}/console${path}`)).textsOf(`.badge.${tone}`)
  expect(await badges('/webhooks/1', 'wait')).toContain(remark)
  expect(await badges(`/transactions/${transactionId}`, 'wait')).toContain(remark)

  receiver.reply(answering(200, { data: { observedQuantity: 2 } }))
  const next = await server.paidTransaction({ itemRef: 'sword-2' })
  await receiver.count(2)
  await expect.poll(async () => (await stub.deliveries(next))[0]?.state).toBe('acknowledged')
  expect(await badges(`/transactions/${next}`, 'good')).toContain('200')
})

test('a transaction says what it waits for until it is over', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const next = async (id: number) =>
    (await readPage(`${stub.url}/console/transactions/${id}`)).textOf('section[aria-labelledby="next"]')
  const id = await server.purchase()
  expect(await next(id)).toContain('The buyer pays')
  await stub.pay(id)
  expect(await next(id)).toContain('calls transaction.delivery')
  expect((await readPage(`${stub.url}/console/transactions`)).textOf('td[data-name="Next"]')).toMatch(/^game server/)
  await stub.request('POST', `/stub/transactions/${id}/dispute`)
  expect(await next(id)).toContain('The staff decides')
  await stub.request('POST', `/stub/transactions/${id}/reject-dispute`)
  await server.call('transaction.delivery', { transactionId: id })
  // Its webhook has no address to go to, so all that is left is that.
  expect(await next(id)).toContain('waits for a webhook URL')
  expect(await next(id)).not.toContain('game server transfers')
})

test('a transaction of the list says what its game server acknowledged, and what is still expected', async () => {
  await using receiver = await startReceiver(answering(503))
  await using stub = await startStub()
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  const transactionId = await server.paidTransaction()
  const cell = async (name: string) =>
    (await readPage(`${stub.url}/console/transactions`)).textOf(`td[data-name="${name}"]`)
  const state = async () => (await stub.deliveries(transactionId)).at(0)?.state
  await expect.poll(async () => (await stub.deliveries(transactionId))[0]?.attempts.length).toBeGreaterThan(0)
  expect(await cell('Acknowledged')).toBe('nothing')
  expect(await cell('Next')).toMatch(/^game server ?delivery or delivery-failure ?2xx to transfer_order, attempt \d+ /)

  receiver.reply(answering(200, { observedQuantity: 3 }))
  const [delivery] = await stub.deliveries(transactionId)
  await stub.request('POST', `/stub/webhooks/${delivery?.id}/resend`)
  await expect.poll(state).toBe('acknowledged')
  expect(await cell('Acknowledged')).toMatch(/^transfer_order.*, observed 3$/)
  expect(await cell('Next')).not.toContain('2xx')

  await server.call('transaction.delivery', { transactionId })
  await receiver.event('transaction_terminal', transactionId)
  await expect.poll(state).toBe('acknowledged')
  expect(await cell('Acknowledged')).toContain('transaction_terminal')
  expect(await cell('Next')).toBe('nothing')
})

test('an unknown address of the console is a page that leads back', async () => {
  await using stub = await startStub()
  const nowhere = await readPage(`${stub.url}/console/nope`)
  expect([nowhere.status, nowhere.headers.get('content-type')]).toEqual([404, 'text/html; charset=UTF-8'])
  expect(nowhere.attributesOf('main a', 'href')).toEqual(['/console/overview'])
  expect(nowhere.root.querySelector('[aria-current]')).toBe(null)
  expect((await stub.request('POST', '/console/nope')).message).toBe('Esta rota não existe.')
})

/** The address of the next part of a list. */
function nextPage({ root }: ReadPage): string | undefined {
  const link = root.querySelectorAll('main nav a').find(({ text }) => ['Older', 'More'].includes(text))
  return link?.getAttribute('href')
}

async function startWithTransaction(dataDirectory: string) {
  const stub = await startStub({ dataDirectory })
  await (await stub.gameServer()).purchase()
  return stub
}

/** Copies the first transaction until there are this many. Made by calls they would take half a minute. */
function multiplyTransactions(dataDirectory: string, count: number): void {
  const database = openDatabase(dataDirectory)
  database.exec(`
    begin;
    with recursive number (id) as (select 2 union all select id + 1 from number where id < ${count})
    insert into transactions (id, gameServerId, listingId, quantity, unitAmountCents, buyerCharacterRef, paymentStatus,
      checkoutToken, createdAt, expiresAt, failureCount)
    select number.id, gameServerId, listingId, quantity, unitAmountCents, buyerCharacterRef, paymentStatus,
      'token-' || number.id, createdAt, expiresAt, failureCount from transactions, number where transactions.id = 1;
    commit`)
  database.close()
}

/** Copies the first attempt of the first delivery until there are this many. */
function multiplyAttempts(dataDirectory: string, count: number): void {
  const database = openDatabase(dataDirectory)
  database.exec(`
    begin;
    with recursive number (value) as (select 2 union all select value + 1 from number where value < ${count})
    insert into webhookAttempts (deliveryId, number, at, durationMs, url, signature, protectedHeader, responseStatus,
      responseBody, failure, nextAttemptAt)
    select deliveryId, value, at + value, durationMs, url, signature, protectedHeader, responseStatus, responseBody,
      failure, nextAttemptAt from webhookAttempts, number where webhookAttempts.number = 1;
    update webhookDeliveries set attempts = ${count}, nextAttemptAt = nextAttemptAt + 86400000;
    commit`)
  database.close()
}

/** The status of a GET with headers that `fetch` would not send. */
function statusWith(url: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { headers }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .on('error', reject)
      .end()
  })
}

const hostileDetail = `<img src=x onerror="alert(1)"><script>alert(2)</script>'"&lt;/q> ${'x'.repeat(300)}`

test('a transaction says what its game server reported, why, with which stock, and the result', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const id = await server.paidTransaction()
  const reported = async () =>
    (await readPage(`${stub.url}/console/transactions/${id}`)).textOf('section[aria-labelledby="reported"]')
  expect(await reported()).toContain('nothing')
  const report = { transactionId: id, observedQuantity: 7 }
  const put = (input: object) => server.call('transaction.delivery-failure', { ...report, ...input })
  await put({ reason: 'TEMPORARY', detail: 'a caixa de correio está cheia' })
  expect(await reported()).toMatch(
    /TEMPORARY observed 7.* because a caixa de correio está cheia PAGO ?AGUARDANDO_SERVIDOR/,
  )
  await put({ reason: 'OUT_OF_STOCK', observedQuantity: 0, detail: hostileDetail })
  expect(await reported()).toMatch(/OUT_OF_STOCK observed 0.* because .*FALHOU.*TEMPORARY observed 7/)

  const other = await server.paidTransaction({ itemRef: 'sword-2' })
  await server.call('transaction.delivery', { transactionId: other })
  expect(
    (await readPage(`${stub.url}/console/transactions/${other}`)).textOf('section[aria-labelledby="reported"]'),
  ).toMatch(/DELIVERED.* PAGO ?ENTREGUE/)
})

test('what a game server reported as a detail is text on the console, whatever it holds, and is short in the list', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const transactionId = await server.paidTransaction()
  const input = { transactionId, reason: 'OUT_OF_STOCK', observedQuantity: 0, detail: hostileDetail }
  await server.call('transaction.delivery-failure', input)
  for (const path of ['transactions', `transactions/${transactionId}`]) {
    const page = await readPage(`${stub.url}/console/${path}`)
    expect(page.root.querySelectorAll('img[onerror]')).toEqual([])
    expect(page.text).not.toContain('<script>alert')
    expect(page.textOf('q')).toContain('<img src=x onerror="alert(1)">')
  }
  const [listed = ''] = (await readPage(`${stub.url}/console/transactions`)).textsOf(
    'td[data-name="Payment, delivery"]',
  )
  expect(listed).toContain('reported OUT_OF_STOCK observed 0')
  expect(listed.length).toBeLessThan(400)
})
