import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startStub } from '../platform-stub/fixtures/stub.ts'
import { isLive, openBrowser } from './fixtures/browser.ts'

test('an update leaves what a person typed, opened and focused as it is', async () => {
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url)
  const { page } = browser
  const server = await stub.gameServer()
  await page.goto(`${stub.url}/console/game-servers/${server.id}`)
  await isLive(page)
  const field = page.getByLabel('Webhook URL')
  await field.fill('http://127.0.0.1:9000/half-typ')
  await page.locator('summary', { hasText: 'Clock of the stub' }).click()
  await field.focus()
  await server.seller('newcomer')
  await page.getByRole('row').filter({ hasText: 'newcomer' }).waitFor()
  expect(await field.inputValue()).toBe('http://127.0.0.1:9000/half-typ')
  expect(await field.evaluate((input) => input === document.activeElement)).toBe(true)
  expect(await page.getByRole('button', { name: '+1 day' }).isVisible()).toBe(true)
})

test.each([
  ['/transactions', 'Search', 'sword'],
  ['/faults', 'Status', '418'],
  ['/game-servers', 'Name', 'Aurora do Norte'],
  ['/game-servers/1', 'Character', 'half-a-name'],
  ['/overview', 'To a moment, UTC', '2031-05-'],
] as const)(
  'on %s an update keeps what is typed into %s, also when it has lost the focus',
  async (place, label, typed) => {
    await using stub = await startStub()
    await using browser = await openBrowser(stub.url)
    const { page } = browser
    const server = await stub.gameServer()
    await page.goto(`${stub.url}/console${place}`)
    await isLive(page)
    const clock = page.locator('summary', { hasText: 'Clock of the stub' })
    await clock.click()
    const field = page.getByLabel(label, { exact: true }).first()
    await field.fill(typed)
    await clock.focus()
    const shown = await page.locator('body').getAttribute('data-version')
    await server.purchase()
    await stub.request('POST', '/stub/webhook-faults', { kind: 'expired' })
    await expect.poll(() => page.locator('body').getAttribute('data-version')).not.toBe(shown)
    await page.getByText('live', { exact: true }).waitFor()
    expect(await field.inputValue()).toBe(typed)
  },
)

test.each(['/transactions', '/requests', '/webhooks'])(
  'on %s a notice that appears above a search keeps what is typed into it',
  async (place) => {
    await using stub = await startStub()
    await using browser = await openBrowser(stub.url)
    const { page } = browser
    await page.goto(`${stub.url}/console${place}`)
    await isLive(page)
    const field = page.getByRole('searchbox')
    await field.fill('sword')
    await page.locator('summary', { hasText: 'Clock of the stub' }).focus()
    await stub.request('POST', '/stub/webhook-faults', { kind: 'expired' })
    await page.getByRole('region', { name: 'Faults are set' }).waitFor()
    expect(await field.inputValue()).toBe('sword')
  },
)

test('the console can be used with only the keyboard', async () => {
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url)
  const { page } = browser
  const server = await stub.gameServer()
  const transactionId = await server.purchase()
  await page.goto(`${stub.url}/console/transactions/${transactionId}`)
  await page.keyboard.press('Tab')
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to content')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Pay')
  await page.keyboard.press('Enter')
  await page.getByRole('group', { name: 'Transaction: PAGO / AGUARDANDO_SERVIDOR' }).waitFor()
})

test('after an act the focus stays where it was, or moves to the content when its button is gone', async () => {
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url)
  const { page } = browser
  const server = await stub.gameServer()
  await server.seller('char-1')
  await page.goto(`${stub.url}/console/game-servers/${server.id}`)
  await isLive(page)
  const banned = page.getByRole('row').getByRole('button', { name: 'banned' })
  await banned.focus()
  for (const isPressed of ['true', 'false']) {
    await page.keyboard.press('Enter')
    // The stream may show the new state before the act has its answer. Until then the button takes no second act.
    await page.locator(`button[aria-pressed="${isPressed}"]:not([aria-disabled])`, { hasText: 'banned' }).waitFor()
    expect(await focused(page)).toBe('banned')
  }

  const transactionId = await server.purchase()
  await page.goto(`${stub.url}/console/transactions/${transactionId}`)
  await isLive(page)
  await page.getByRole('button', { name: 'Pay' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Open dispute' }).waitFor()
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('content')
  // From there the next key leads on, and not to the top of the page.
  for (let tab = 0; tab < 3; tab++) await page.keyboard.press('Tab')
  expect(await focused(page)).toBe('Open dispute')
})

test('an act is sent once, however often its key is pressed while it is under way', async () => {
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url)
  const { page } = browser
  await page.goto(`${stub.url}/console`)
  await isLive(page)
  await page.locator('summary', { hasText: 'Clock of the stub' }).click()
  const sent: string[] = []
  const answered = Promise.withResolvers<void>()
  await page.route('**/stub/clock', async (route) => {
    sent.push(route.request().method())
    await answered.promise
    await route.continue()
  })
  const jump = page.getByRole('button', { name: '+1 h' })
  await jump.focus()
  for (let press = 0; press < 3; press++) await page.keyboard.press('Enter')
  await page.locator('button[aria-disabled="true"]', { hasText: '+1 h' }).waitFor()
  answered.resolve()
  await page.getByText('travelling +1h').waitFor()
  expect(sent).toEqual(['PUT'])
  await page.locator('button:not([aria-disabled])', { hasText: '+1 h' }).waitFor()
  expect(await focused(page)).toBe('+1 h')
})

test('Escape closes the clock and gives the keyboard back to where it was opened', async () => {
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url)
  const { page } = browser
  await page.goto(`${stub.url}/console`)
  const summary = page.locator('summary', { hasText: 'Clock of the stub' })
  await summary.focus()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  expect(await focused(page)).toBe('+1 min')
  await page.keyboard.press('Escape')
  expect(await page.getByRole('button', { name: '+1 min' }).isVisible()).toBe(false)
  expect(await summary.evaluate((element) => element === document.activeElement)).toBe(true)
})

test('an untouched form shows what is so now; one that was sent does so again', async () => {
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url)
  const { page } = browser
  const server = await stub.gameServer({ webhookUrl: 'http://127.0.0.1:9000/first' })
  const path = `/stub/game-servers/${server.id}`
  await page.goto(`${stub.url}/console/game-servers/${server.id}`)
  await isLive(page)
  const field = page.getByLabel('Webhook URL')
  const shows = (address: string) => expect.poll(() => field.inputValue(), { timeout: 60_000 }).toBe(address)
  await stub.request('PUT', path, { webhookUrl: 'http://127.0.0.1:9000/second' })
  await shows('http://127.0.0.1:9000/second')
  await field.fill('http://127.0.0.1:9000/third')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('They go to http://127.0.0.1:9000/third').waitFor()
  await page.locator('summary', { hasText: 'Clock of the stub' }).focus()
  await stub.request('PUT', path, { webhookUrl: 'http://127.0.0.1:9000/fourth' })
  await shows('http://127.0.0.1:9000/fourth')
})

function focused(page: Page): Promise<string | undefined> {
  return page.evaluate(() => document.activeElement?.textContent ?? undefined)
}
