import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { answering, startReceiver } from '../platform-stub/fixtures/receiver.ts'
import { startStub } from '../platform-stub/fixtures/stub.ts'
import { isLive, openBrowser, phone } from './fixtures/browser.ts'

/** The numbers of the requests that the page lists, newest first. */
async function listedOn(page: Page): Promise<number[]> {
  const ids = await page.locator('li.entry').evaluateAll((entries) => entries.map(({ id }) => id))
  return ids.map((id) => Number(id.replace('request-', '')))
}

test('requests are chosen by operation, game server, transaction and text; the address says which, and the list continues', async () => {
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url)
  const { page } = browser
  const server = await stub.gameServer()
  const other = await stub.gameServer({ name: 'Boreal' })
  const transactionId = await server.purchase() // requests 1 and 2
  await server.call('transaction.get', { transactionId }) // 3
  await other.call('market.eligibility', { characterRef: 'kael' }) // 4
  await page.goto(`${stub.url}/console/requests`)
  const choose = async (act: () => Promise<unknown>, search: string, numbers: number[]) => {
    await page.goto(`${stub.url}/console/requests`)
    await act()
    await page.getByRole('button', { name: 'Search' }).click()
    await page.waitForURL(`**/console/requests${search}`)
    expect([search, await listedOn(page)]).toEqual([search, numbers])
  }
  await choose(() => page.getByLabel('Operation').selectOption('transaction.get'), '?operation=transaction.get', [3])
  await choose(() => page.getByLabel('Game server').selectOption({ label: 'Boreal (no. 2)' }), '?server=2', [4])
  await choose(() => page.getByRole('textbox', { name: 'Transaction' }).fill('1'), '?transaction=1', [3, 2])
  await choose(() => page.getByLabel('Search').fill('KAEL'), '?search=KAEL', [4])
  await choose(() => page.getByLabel('Search').fill('buyerCharacterRef'), '?search=buyerCharacterRef', [3, 2])
  await page.getByRole('link', { name: 'not 200' }).click()
  await page.getByText('Nothing fits the search.').waitFor()
  expect(new URL(page.url()).search).toBe('?search=buyerCharacterRef&show=failed')

  await page.goto(`${stub.url}/console/requests?transaction=1`)
  await isLive(page)
  await server.call('transaction.get', { transactionId })
  await page.locator('#request-5').waitFor()
  await other.call('market.eligibility', { characterRef: 'c' })
  await server.call('transaction.delivery', { transactionId })
  await page.locator('#request-7').waitFor()
  expect(await listedOn(page)).toEqual([7, 5, 3, 2])
})

test('a call in the history of a transaction links to its request with both bodies, and neither has a key', async () => {
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url)
  const { page } = browser
  const server = await stub.gameServer()
  const transactionId = await server.paidTransaction()
  await server.call('transaction.delivery-failure', { transactionId, reason: 'TEMPORARY', observedQuantity: 3 })
  await page.goto(`${stub.url}/console/transactions/${transactionId}`)
  await page.getByRole('link', { name: 'POST /delivery-failure' }).click()
  await page.getByRole('heading', { name: 'Request 3' }).waitFor()
  const [sent, answered] = await page.locator('main pre').allTextContents()
  expect(sent).toBe(JSON.stringify({ reason: 'TEMPORARY', observedQuantity: 3 }, null, 2))
  expect(JSON.parse(answered ?? '').data).toMatchObject({ transactionId, deliveryStatus: 'AGUARDANDO_SERVIDOR' })
  expect(await page.content()).not.toContain(server.apiKey)
  await page.getByRole('link', { name: `no. ${transactionId}`, exact: true }).click()
  await page.getByRole('heading', { name: 'Espada Rúnica' }).waitFor()
  await page.goto(`${stub.url}/console/requests/99`)
  await page.getByText('This does not exist').waitFor()
})

test('webhooks show when they were made and are searched by number, item and character', async () => {
  await using receiver = await startReceiver()
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url)
  const { page } = browser
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  await stub.request('PUT', '/stub/clock', { now: '2031-05-06T07:08:09Z' })
  await server.paidTransaction()
  await server.paidTransaction({ itemRef: 'helm-4' })
  await receiver.count(2)
  await page.goto(`${stub.url}/console/webhooks`)
  await page
    .getByRole('cell', { name: /^06 May, 07:08/ })
    .first()
    .waitFor()
  for (const [search, count] of [
    ['helm', 1],
    ['seller', 2],
    ['2', 1],
    ['nothing like it', 0],
  ] as const) {
    await page.getByRole('searchbox').fill(search)
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/console/webhooks?search=${search.replaceAll(' ', '+')}`)
    expect([search, await page.locator('tbody tr').count()]).toEqual([search, count])
  }
})

test('an item is bought, put off and delivered with only the buttons, by keyboard', async () => {
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url)
  const { page } = browser
  const server = await stub.gameServer({ keyFrom: 'stub' })
  await server.listing({ quantityListed: 5 })
  await page.goto(`${stub.url}/console/listings`)
  await page.locator('summary', { hasText: 'Buy…' }).press('Enter')
  await page.getByLabel('Quantity').fill('2')
  await page.getByLabel('Buyer').fill('mirela')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/console/transactions/1')
  expect(await stub.transaction(1)).toMatchObject({
    quantity: 2,
    buyerCharacterRef: 'mirela',
    phase: 'awaiting-payment',
  })
  expect(await page.getByRole('region', { name: 'Play the game server' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Pay' }).press('Enter')
  await page.getByRole('group', { name: 'Transaction: PAGO / AGUARDANDO_SERVIDOR' }).waitFor()
  const later = page.getByRole('button', { name: 'Fail: TEMPORARY' })
  await later.press('Enter')
  await page.getByText('Delivery put off: TEMPORARY').waitFor()
  await page.locator('button:not([aria-disabled])', { hasText: 'Fail: TEMPORARY' }).waitFor()
  expect(await page.locator('#outcome-line').textContent()).toContain(
    `-d '{"reason":"TEMPORARY","observedQuantity":3}'`,
  )
  await page.getByRole('button', { name: 'Deliver' }).press('Enter')
  await page.getByRole('group', { name: 'Transaction: PAGO / ENTREGUE / CONCLUIDA' }).waitFor()
  await page.getByRole('link', { name: 'POST /delivery', exact: true }).waitFor()
})

test('a purchase beyond the stock is refused in the words of the platform, and an empty mailbox refunds', async () => {
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url)
  const { page } = browser
  const server = await stub.gameServer({ keyFrom: 'stub' })
  const transactionId = await server.paidTransaction()
  await page.goto(`${stub.url}/console/listings`)
  await page.locator('summary', { hasText: 'Buy…' }).click()
  await page.getByLabel('Quantity').fill('9')
  await page.getByRole('button', { name: 'Buy', exact: true }).click()
  await page.getByRole('status').getByText('409 Restam apenas 4 unidades deste item.').waitFor()
  await page.goto(`${stub.url}/console/transactions/${transactionId}`)
  await page.getByRole('button', { name: 'Fail: OUT_OF_STOCK' }).click()
  await page.getByRole('group', { name: 'Transaction: ESTORNADO / FALHOU / ESTORNADA' }).waitFor()
})

test('where the stub has no private key there is no button to deliver, and the page says why', async () => {
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url)
  const { page } = browser
  const transactionId = await (await stub.gameServer({ keyFrom: 'game server' })).paidTransaction()
  await page.goto(`${stub.url}/console/transactions/${transactionId}`)
  const played = page.getByRole('region', { name: 'Play the game server' })
  await played.getByText(/made its key pair itself/).waitFor()
  expect(await played.getByRole('button').count()).toBe(0)
})

test.each([
  ['a desk', {}],
  ['a phone', phone],
])('a test event is sent from the console and marked as one, on %s', async (_, screen) => {
  await using receiver = await startReceiver()
  await using other = await startReceiver(answering(503))
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url, screen)
  const { page } = browser
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  await page.goto(`${stub.url}/console/webhooks`)
  await page.locator('summary', { hasText: 'Send a test event' }).click()
  await page.getByLabel('itemRef').fill('helm-4')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByRole('heading', { name: 'Test event 1' }).waitFor()
  expect(receiver.received[0]?.event).toMatchObject({ event: 'transfer_order', itemRef: 'helm-4', quantity: 1 })
  await page.getByText('test', { exact: true }).waitFor()
  await page.getByText('{"observedQuantity":4}').waitFor()

  await page.goto(`${stub.url}/console/webhooks?show=tests`)
  await page.getByLabel('transaction_terminal').check()
  await page.getByLabel('outcome').selectOption('ESTORNADA')
  await page.getByLabel('Transaction of an earlier test').fill('2000000001')
  await page.getByLabel('Address, once').fill(other.url)
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByRole('heading', { name: 'Test event 2' }).waitFor()
  expect(other.received[0]?.event).toMatchObject({ transactionId: 2_000_000_001, deliveryStatus: 'FALHOU' })
  for (const [search, count] of [
    ['', 2],
    ['&search=helm', 1],
    ['&search=2000000001', 2],
    ['&search=nothing', 0],
  ] as const) {
    await page.goto(`${stub.url}/console/webhooks?show=tests${search}`)
    expect([search, await page.locator('tbody tr').count()]).toEqual([search, count])
  }
  await page.goto(`${stub.url}/console/webhooks`)
  await page.getByText('No webhook here').waitFor()
  expect(server.id).toBe(1)
})

test('a delivery is sent to another address once from its page, and shown apart from its attempts', async () => {
  await using receiver = await startReceiver(answering(503))
  await using other = await startReceiver()
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url)
  const { page } = browser
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  await server.paidTransaction()
  await receiver.count(1)
  await page.goto(`${stub.url}/console/webhooks/1`)
  const elsewhere = page.getByRole('region', { name: 'Send it somewhere else' })
  await elsewhere.getByLabel('Address').fill(other.url)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Sent once' }).waitFor()
  await page.getByRole('heading', { name: '1 attempt' }).waitFor()
  expect(other.received.map(({ body }) => body.toString())).toEqual([receiver.received[0]?.body.toString()])
  await page.getByRole('main').getByText('pending').waitFor()
})
