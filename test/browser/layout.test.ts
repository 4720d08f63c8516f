import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startStub } from '../platform-stub/fixtures/stub.ts'
import { openBrowser } from './fixtures/browser.ts'

const widths = [390, 1280, 1600]

test.each(widths)('at %i px the states of a listing are drawn no larger than they are', async (width) => {
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url, { viewport: { width, height: 900 } })
  const { page } = browser
  await (await stub.gameServer()).listing()
  for (const place of ['/overview', '/listings']) {
    await page.goto(`${stub.url}/console${place}`)
    await page.evaluate(() => document.querySelector('main details')?.setAttribute('open', ''))
    expect((await boxOf(page, '.machine[aria-labelledby^="machine-listing"]')).width).toBeLessThan(200)
  }
})

test('at 390 px the menu shows the entry of the page, whichever it is', async () => {
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url, { viewport: { width: 390, height: 900 } })
  const { page } = browser
  for (const place of [
    '/overview',
    '/first-sale',
    '/transactions',
    '/listings',
    '/webhooks',
    '/requests',
    '/game-servers',
    '/faults',
  ]) {
    await page.goto(`${stub.url}/console${place}`)
    const { x, width } = await boxOf(page, '.places [aria-current]')
    expect([x >= 0, x + width <= 390], place).toEqual([true, true])
  }
})

test('at 390 px the whole drawing is in sight, and the next step is on the first screen', async () => {
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url, { viewport: { width: 390, height: 844 } })
  const { page } = browser
  const server = await stub.gameServer()
  const transactionId = await server.purchase()
  for (const act of ['pay', 'dispute']) await stub.request('POST', `/stub/transactions/${transactionId}/${act}`)
  for (const place of ['/overview', `/transactions/${transactionId}`]) {
    await page.goto(`${stub.url}/console${place}`)
    const drawing = page.getByRole('group', { name: /^Transaction: / })
    const boxes = await drawing.locator('.state rect').evaluateAll((states) =>
      states.map((state) => {
        const { left, right } = state.getBoundingClientRect()
        return { left, right }
      }),
    )
    expect(boxes.length, place).toBeGreaterThanOrEqual(10)
    expect(boxes.filter(({ left, right }) => left < 0 || right > 390)).toEqual([])
  }
  const next = await boxOf(page, 'section[aria-labelledby="next"]')
  expect(next.y + next.height).toBeLessThan(844)
})

test('at 390 px a list begins on the first screen, below its filters', async () => {
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url, { viewport: { width: 390, height: 844 } })
  const { page } = browser
  await (await stub.gameServer()).paidTransaction()
  for (const [place, row] of [
    ['/transactions?phase=awaiting-server', 'tbody tr'],
    ['/requests?show=all', 'li.entry'],
    ['/webhooks?state=pending', 'tbody tr'],
  ] as const) {
    await page.goto(`${stub.url}/console${place}`)
    expect((await boxOf(page, row)).y, place).toBeLessThan(600)
    const chosen = await boxOf(page, '.choices [aria-current]')
    expect([chosen.x >= 0, chosen.x + chosen.width <= 390], place).toEqual([true, true])
  }
})

test.each(widths)('at %i px the name of a field is not broken inside the word', async (width) => {
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url, { viewport: { width, height: 900 }, locale: 'pt-BR' })
  const { page } = browser
  const transactionId = await (await stub.gameServer({ keyFrom: 'stub' })).paidTransaction()
  await page.goto(`${stub.url}/console/transactions/${transactionId}`)
  const names = await page.locator('.field > span', { hasText: 'observedQuantity' }).all()
  for (const name of names) expect((await name.boundingBox())?.height).toBeLessThan(25)
  expect(names.length).toBe(2)
})

test('at 1280 px no name of a listing is broken word by word', async () => {
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url, { viewport: { width: 1280, height: 900 } })
  const { page } = browser
  const server = await stub.gameServer()
  const sellerCharacterRef = await server.seller('ferreiro-da-guilda-do-norte')
  await server.listing({ itemName: 'Montaria: Lobo Cinzento', unitAmountCents: 999_999_999, sellerCharacterRef })
  await server.call('market.adjust-stock', { itemRef: 'sword-1', observedQuantity: 0 })
  await page.goto(`${stub.url}/console/listings`)
  expect((await boxOf(page, 'td > .strong')).height).toBeLessThan(30)
})

test('the answer to an act is closed by a button, and leaves the end of the page free', async () => {
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url, { viewport: { width: 1280, height: 700 } })
  const { page } = browser
  const server = await stub.gameServer()
  await page.goto(`${stub.url}/console/game-servers/${server.id}`)
  await page.getByRole('button', { name: 'Let them wait' }).waitFor({ state: 'detached' })
  for (let character = 0; character < 12; character++) await server.seller(`char-${character}`)
  await page.getByRole('textbox', { name: 'Webhook URL' }).fill('ftp://nowhere')
  await page.getByRole('button', { name: 'Save' }).click()
  const outcome = page.getByRole('status')
  await outcome.getByText(/^400 /).waitFor()
  await page.getByRole('row').last().waitFor()
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
  const row = await boxOf(page, 'tbody tr:last-child')
  expect(row.y + row.height).toBeLessThanOrEqual((await boxOf(page, '#outcome')).y)
  await outcome.getByRole('button', { name: 'Close' }).click()
  expect(await outcome.isVisible()).toBe(false)
})

async function boxOf(page: Page, selector: string) {
  const box = await page.locator(selector).first().boundingBox()
  if (!box) throw new Error(`${selector} is not shown`)
  return box
}
