import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { AxeResults, RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { answering, startReceiver } from '../platform-stub/fixtures/receiver.ts'
import { startStub, type TestStub } from '../platform-stub/fixtures/stub.ts'
import { openBrowser, phone } from './fixtures/browser.ts'
import { checkoutsOf, consoleDetails, consoleLists, fillConsole, unknownDetails } from './fixtures/full-console.ts'

/** Dozens of pages, each in both colour schemes. */
const timeoutMs = 120_000

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

test(
  'on the pages of buyers and players axe finds nothing, in any state, in both colour schemes',
  async () => {
    await using stub = await startStub({ settings: { completionDelayMs: 3_600_000, linkExpiryMs: 60_000 } })
    await using browser = await openBrowser(stub.url)
    const pages = [...(await checkoutsOf(stub)), ...(await linksOf(stub))]
    for (const address of [...pages, `${stub.url}/checkout/unknown`, `${stub.url}/portal/links/unknown`]) {
      await browser.page.goto(address)
      expect(await faultsIn(browser.page), address).toEqual([])
    }
  },
  timeoutMs,
)

// In Portuguese, whose words are longer. The texts of empty lists are on the pages of things that do not exist.
test(
  'on every page of the console axe finds nothing in both colour schemes',
  async () => {
    await using receiver = await startReceiver(answering(500, 'down'))
    await using stub = await startStub()
    await using browser = await openBrowser(stub.url, { locale: 'pt-BR' })
    const { page } = browser
    await fillConsole(stub, receiver.url)
    for (const place of [...consoleLists, ...consoleDetails, ...unknownDetails]) {
      await page.goto(`${stub.url}/console${place}`)
      await openAll(page)
      expect(await faultsIn(page), place).toEqual([])
    }
  },
  timeoutMs,
)

test.each(['en', 'pt-BR'])('no page is wider than a phone, in %s', async (locale) => {
  await using receiver = await startReceiver(answering(500, 'x'.repeat(500)))
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url, { ...phone, locale })
  const { page } = browser
  const long = 'Espada-de-nome-comprido-que-ninguém-quebra-'.repeat(4)
  const server = await stub.gameServer({ webhookUrl: receiver.url, name: long })
  await server.listing({
    itemRef: 'long',
    itemName: long,
    attributes: long.slice(0, 255),
    unitAmountCents: 9_999_999_999,
  })
  const { data } = await server.call('transaction.create', { itemRef: 'long', quantity: 1, buyerCharacterRef: long })
  const { data: link } = await server.call('character.link', { characterRef: long, characterName: long })
  const fits = async (address: string) => {
    await page.goto(address)
    await openAll(page)
    // Not innerWidth: a phone widens that with the page.
    expect(await page.evaluate(() => document.documentElement.scrollWidth), address).toBe(phone.viewport?.width)
  }
  await fits(data.checkoutUrl)
  await fits(link.url)
  await stub.pay(data.transactionId)
  await receiver.count(1)
  await server.call('market.eligibility', { characterRef: long }, { sentBody: '', claims: { kid: long } })
  await fits(data.checkoutUrl)
  const unknownHost = `http://${'long-host-name-'.repeat(4)}x.invalid/`
  await stub.request('PUT', `/stub/game-servers/${server.id}`, { webhookUrl: unknownHost })
  await stub.request('POST', '/stub/webhooks/1/resend')
  await expect.poll(async () => (await stub.deliveries(data.transactionId))[0]?.attempts.length).toBe(2)
  await stub.request('POST', `/stub/game-servers/${server.id}/test-events`, { event: 'transfer_order', itemRef: long })
  const details = ['/transactions/1', '/webhooks/1', '/webhooks/tests/1', '/requests/1', '/game-servers/1']
  for (const place of [...consoleLists, ...details]) await fits(`${stub.url}/console${place}`)
})

/** A link that expired, one that was used, one that can be confirmed. */
async function linksOf(stub: TestStub): Promise<string[]> {
  const server = await stub.gameServer()
  const link = async (): Promise<string> => (await server.call('character.link', { characterRef: 'c' })).data.url
  const expired = await link()
  await stub.advance(60)
  const used = await link()
  await stub.request('POST', new URL(used).pathname)
  return [expired, used, await link()]
}

async function openAll(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) details.open = true
  })
}

/** What a phone's layout and dark colours may break of a page that was well. */
const layoutRules = [
  'color-contrast',
  'aria-required-children',
  'aria-required-parent',
  'scrollable-region-focusable',
  'target-size',
]

/** What axe finds, in a line each: everything on a desk in light colours, the layout again on a phone in dark ones. */
async function faultsIn(page: Page): Promise<string[]> {
  const desk = page.viewportSize()
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  // As an expression of the browser's own: the page's policy lets no script in that is not the stub's.
  await page.evaluate(axe)
  const light = await run(page, {})
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  await page.setViewportSize({ width: 360, height: 740 })
  const dark = await run(page, { runOnly: layoutRules, rules: { 'target-size': { enabled: true } } })
  if (desk) await page.setViewportSize(desk)
  return [...light, ...dark]
}

async function run(page: Page, options: RunOptions): Promise<string[]> {
  const results = (await page.evaluate(
    (chosen) => (Reflect.get(window, 'axe') as typeof import('axe-core')).run(document, chosen),
    options,
  )) as AxeResults
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary?.slice(0, 200)}`),
  )
}
