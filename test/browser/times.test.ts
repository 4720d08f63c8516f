import { expect, test } from 'vitest'
import { startStub } from '../platform-stub/fixtures/stub.ts'
import { isLive, openBrowser } from './fixtures/browser.ts'

test('times are those of the reader’s device until another zone is chosen, which every later page remembers', async () => {
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url, { timezoneId: 'Asia/Tokyo' })
  const { page } = browser
  await stub.request('PUT', '/stub/clock', { now: '2031-05-06T20:08:09Z' })
  const server = await stub.gameServer()
  const transactionId = await server.purchase()
  await page.goto(`${stub.url}/console/transactions/${transactionId}`)
  const created = page.locator('.timeline time').first()
  const clock = page.locator('summary time')
  await created.filter({ hasText: /^07 May, 05:08:/ }).waitFor()
  await clock.filter({ hasText: /^07 May, 05:08:\d\d GMT\+9$/ }).waitFor()

  await page.locator('summary', { hasText: 'Clock of the stub' }).click()
  const zone = page.getByLabel('Show times in')
  await zone.selectOption('the time of Brasília')
  await created.filter({ hasText: /^06 May, 17:08:/ }).waitFor()
  await isLive(page)
  await stub.pay(transactionId)
  await page.locator('.timeline time').nth(2).waitFor()
  for (const text of await page.locator('.timeline time').allTextContents()) expect(text).toMatch(/^06 May, 17:08:/)

  await page.goto(`${stub.url}/console/webhooks`)
  await clock.filter({ hasText: /^06 May, 17:08:\d\d GMT-3$/ }).waitFor()
  await page.locator('summary', { hasText: 'Clock of the stub' }).click()
  expect(await zone.inputValue()).toBe('brasilia')
  await zone.selectOption('UTC')
  await clock.filter({ hasText: /^06 May, 20:08:\d\d UTC$/ }).waitFor()
})
