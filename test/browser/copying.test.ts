import { expect, test } from 'vitest'
import { startReceiver } from '../platform-stub/fixtures/receiver.ts'
import { startStub } from '../platform-stub/fixtures/stub.ts'
import { openBrowser } from './fixtures/browser.ts'

test('a copy button puts the exact text into the clipboard', async () => {
  await using receiver = await startReceiver()
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url)
  const { page, context } = browser
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  const transactionId = await server.paidTransaction()
  await receiver.count(1)
  const attempts = async () => (await stub.deliveries(transactionId))[0]?.attempts ?? []
  await expect.poll(async () => (await attempts()).length).toBe(1)
  const copied = async (press: () => Promise<unknown>) => {
    await page.evaluate(() => navigator.clipboard.writeText(''))
    await press()
    await page.getByText('Copied').first().waitFor()
    return page.evaluate(() => navigator.clipboard.readText())
  }
  const { checkoutUrl } = await stub.transaction(transactionId)
  for (const [name, text] of [
    ['itemRef', 'sword-1'],
    ['transactionId', String(transactionId)],
    ['Checkout', checkoutUrl],
  ] as const) {
    await page.goto(`${stub.url}/console/transactions/${transactionId}`)
    expect(await copied(() => page.getByRole('button', { name: `Copy: ${name}` }).click())).toBe(text)
  }
  await page.goto(`${stub.url}/console/webhooks/1`)
  expect(await copied(() => page.getByRole('button', { name: 'Copy: Address' }).click())).toBe(receiver.url)
  await page.goto(`${stub.url}/console/webhooks/1`)
  const button = page.locator('.code-block', { hasText: '"sellerCharacterRef": "seller"' }).getByRole('button').first()
  expect(JSON.parse(await copied(() => button.press('Enter')))).toEqual(receiver.received[0]?.event)
})

test('a button that is pressed twice has its own name again a moment later', async () => {
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url)
  const { page, context } = browser
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await stub.gameServer({ keyFrom: 'stub' })
  await page.clock.install()
  await page.goto(`${stub.url}/console/game-servers/1`)
  const [text, picture] = [page.locator('.code-block button').first(), page.locator('.copyable button').first()]
  for (const [button, name] of [
    [text, 'Copy'],
    [picture, 'Copy: kid'],
  ] as const) {
    await button.click()
    await button.filter({ hasText: 'Copied' }).waitFor()
    await page.clock.runFor(1_000)
    await button.click()
    await page.evaluate(() => navigator.clipboard.readText())
    await page.clock.runFor(3_000)
    expect(await button.textContent()).toBe(name)
  }
})

test('without a clipboard the text is selected, and nothing is said to be copied', async () => {
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url)
  const { page } = browser
  await stub.gameServer({ keyFrom: 'stub' })
  await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }))
  await page.goto(`${stub.url}/console/game-servers/1`)
  const block = page.locator('.code-block').first()
  await block.getByRole('button').click()
  await block.getByText('Selected: press Ctrl+C').waitFor()
  expect(await page.getByText('Copied').count()).toBe(0)
  expect(await page.evaluate(() => String(getSelection()))).toBe(await block.locator('pre').innerText())
})
