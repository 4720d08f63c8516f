import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { serve, temporaryFolder } from '../platform-stub/fixtures/process.ts'
import { startReverseProxy } from '../platform-stub/fixtures/reverse-proxy.ts'
import { isLive, markPage, openBrowser } from './fixtures/browser.ts'

/** Waits until the page has been told by the proxy, and not by the stub, that nobody is there. */
function asksInVain(page: Page) {
  return page.waitForResponse((response) => response.status() === 502)
}

test('behind a proxy, open pages outlive the end of the stub and show what happened meanwhile', async () => {
  await using folder = await temporaryFolder()
  const before = await serve('--data-dir', folder.path)
  const { url } = before.listening
  await using proxy = await startReverseProxy(url)
  await using browser = await openBrowser(proxy.url)
  const { context } = browser
  const server = await before.control.gameServer()
  const transactionId = await server.purchase()
  const link = (await server.call('character.link', { characterRef: 'c' })).data.url
  const behindProxy = (address: string) => proxy.url + new URL(address).pathname
  const { checkoutUrl } = await before.control.transaction(transactionId)
  const addresses = [behindProxy(checkoutUrl), behindProxy(link), `${proxy.url}/console/transactions`]
  const pages = await Promise.all(
    addresses.map(async (address) => {
      const page = await context.newPage()
      await page.goto(address)
      await isLive(page)
      return { page, isSamePage: await markPage(page) }
    }),
  )
  const [checkout, portal, list] = pages.map(({ page }) => page) as [Page, Page, Page]
  const inVain = Promise.all(pages.map(({ page }) => asksInVain(page)))
  await before.signal('SIGKILL')
  await inVain
  await list.getByText('reconnecting…').waitFor()

  // The pages learn nothing while they cannot ask.
  await using after = await serve('--data-dir', folder.path, '--port', new URL(url).port)
  await after.control.pay(transactionId)
  await after.control.request('POST', new URL(link).pathname)
  await checkout.getByRole('status').getByText('Pagamento confirmado').waitFor()
  await portal.getByText('Este link já foi usado', { exact: true }).waitFor()
  await list.getByRole('row').filter({ hasText: 'AGUARDANDO_SERVIDOR' }).waitFor()
  await isLive(checkout)
  await isLive(list)
  expect(await Promise.all(pages.map(({ isSamePage }) => isSamePage()))).toEqual([true, true, true])
})

test('a hidden page continues to look, so that its tab says that an order waits', async () => {
  await using folder = await temporaryFolder()
  await using stub = await serve('--data-dir', folder.path)
  await using browser = await openBrowser(stub.listening.url)
  const { page } = browser
  const server = await stub.control.gameServer()
  const transactionId = await server.purchase()
  await page.clock.install()
  await page.goto(`${stub.listening.url}/console/transactions`)
  await isLive(page)
  expect(await page.title()).toBe('Transactions · platform-stub')
  await page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { value: true })
    document.dispatchEvent(new Event('visibilitychange'))
  })
  await stub.control.pay(transactionId)
  await page.clock.fastForward(10_000)
  await page.waitForFunction(() => document.title === '(1) Transactions · platform-stub')
})
