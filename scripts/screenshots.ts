/**
 * `npm run screenshots`: plays a market day at a stub and takes the pictures of its pages in docs/images/.
 * `npm run screenshots -- --review FOLDER [PART]` takes every page whole instead, at 390, 1280 and 1600 px, for a person
 * to look at; PART chooses the pages whose name contains it. `--lang pt-BR` shows the console in Portuguese.
 */
import { mkdirSync, mkdtempSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { launchChromium } from './browser/chromium.ts'
import { startProgram } from './child-program.ts'
import { sourcePrograms } from './programs.ts'
import { playAwkwardCases } from './screenshots/awkward-cases.ts'
import { SampleGame } from './screenshots/sample-game.ts'
import { playSampleMarket } from './screenshots/sample-market.ts'

interface Picture {
  readonly name: string
  readonly url: string
  readonly screen: BrowserContextOptions
  /** What is done on the page before the picture is taken. */
  readonly before?: (page: Page) => Promise<unknown>
  readonly isWhole?: boolean
}

const { values, positionals } = parseArgs({
  options: { review: { type: 'string' }, lang: { type: 'string', default: 'en' } },
  allowPositionals: true,
})
const root = join(import.meta.dirname, '..')
const folder = values.review ?? join(root, 'docs', 'images')
const desk: BrowserContextOptions = { viewport: { width: 1240, height: 860 }, deviceScaleFactor: 1.5 }
const tall: BrowserContextOptions = { viewport: { width: 1240, height: 1240 }, deviceScaleFactor: 1.5 }
const phone: BrowserContextOptions = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 }
const dark: BrowserContextOptions = { colorScheme: 'dark' }

mkdirSync(folder, { recursive: true })
await using stub = await startProgram({
  name: 'platform-stub',
  command: [...sourcePrograms.stub, 'serve', '--port', '0', '--memory', '--seed', 'screenshots'],
  env: {},
  logFile: join(mkdtempSync(join(tmpdir(), 'screenshots-')), 'platform-stub.log'),
})
await using game = await SampleGame.start(stub.url, 'Aurora')
const browser = await launchChromium()
const isChosen = ({ name }: Picture) => name.includes(positionals[0] ?? '')
// Before the market day, on which all of its steps are done.
await game.character('kael', { linked: true, recipientApproved: true })
await game.call('market.eligibility', { characterRef: 'kael' })
const firstSale = { name: 'console-first-sale', url: `${stub.url}/console/first-sale`, screen: tall }
if (isChosen(firstSale)) await take(firstSale)
const market = await playSampleMarket(game)
const pictures =
  values.review === undefined ? picturesOf(`${stub.url}/console`) : reviewOf(stub.url, await playAwkwardCases(game))
for (const picture of pictures.filter(isChosen)) await take(picture)
await browser.close()

/** Every page at every width, from top to bottom, with everything open that can be opened. */
function reviewOf(url: string, awkward: number): Picture[] {
  const { checkout, links, transactions, webhook } = market
  const inConsole = {
    overview: '/overview',
    'first-sale': '/first-sale',
    transactions: '/transactions',
    transaction: `/transactions/${transactions.retried}`,
    disputed: `/transactions/${transactions.disputed}`,
    waiting: `/transactions/${transactions.awaitingServer}`,
    awkward: `/transactions/${awkward}`,
    listings: '/listings',
    webhooks: '/webhooks',
    webhook: `/webhooks/${webhook}`,
    'test-events': '/webhooks?show=tests',
    'test-event': `/webhooks/tests/${market.testEvent}`,
    requests: '/requests?show=refused',
    request: '/requests/1',
    'game-servers': '/game-servers',
    'game-server': `/game-servers/${game.id}`,
    faults: '/faults',
    'no-such-page': '/nope',
  }
  const addresses = [
    ...Object.entries(checkout).map(([name, address]) => [`checkout-${name}`, address] as const),
    ...Object.entries(links).map(([name, address]) => [`link-${name}`, address] as const),
    ...Object.entries(inConsole).map(([name, path]) => [`console-${name}`, `${url}/console${path}`] as const),
  ]
  const openAll = (page: Page) =>
    page.evaluate("for (const details of document.querySelectorAll('main details')) details.open = true")
  return addresses.flatMap(([name, address]) =>
    [390, 1280, 1600].map(
      (width): Picture => ({
        name: `${name}-${width}`,
        url: address,
        screen: { viewport: { width, height: 900 } },
        before: openAll,
        isWhole: true,
      }),
    ),
  )
}

function picturesOf(console: string): Picture[] {
  const { checkout, links, transactions, webhook } = market
  return [
    { name: 'checkout', url: checkout.open, screen: { ...desk, viewport: { width: 1120, height: 880 } } },
    { name: 'checkout-phone', url: checkout.open, screen: { ...phone, viewport: { width: 390, height: 1110 } } },
    { name: 'checkout-paid-phone', url: checkout.awaitingServer, screen: { ...phone, ...dark } },
    { name: 'checkout-sold-out-phone', url: checkout.soldOut, screen: phone },
    { name: 'checkout-refunded', url: checkout.refunded, screen: { ...desk, viewport: { width: 1120, height: 800 } } },
    { name: 'portal-phone', url: links.open, screen: phone },
    { name: 'console-overview', url: `${console}/overview`, screen: tall },
    { name: 'console-transactions', url: `${console}/transactions`, screen: desk },
    { name: 'console-transaction', url: `${console}/transactions/${transactions.retried}`, screen: tall },
    {
      name: 'console-transaction-dark',
      url: `${console}/transactions/${transactions.disputed}`,
      screen: { ...desk, ...dark },
    },
    { name: 'console-transaction-phone', url: `${console}/transactions/${transactions.retried}`, screen: phone },
    { name: 'console-webhook', url: `${console}/webhooks/${webhook}`, screen: tall },
    { name: 'console-listings', url: `${console}/listings`, screen: desk },
    {
      name: 'console-requests',
      url: `${console}/requests?show=refused`,
      screen: { ...desk, viewport: { width: 1240, height: 980 } },
      before: async (page) => {
        const refused = page.getByRole('listitem').filter({ hasText: 'Why: step signature' })
        await refused.locator('summary', { hasText: 'Why' }).click()
        await refused.scrollIntoViewIfNeeded()
      },
    },
    { name: 'console-game-server', url: `${console}/game-servers/${game.id}`, screen: desk },
    { name: 'console-faults', url: `${console}/faults`, screen: desk },
  ]
}

async function take({ name, url, screen, before, isWhole = false }: Picture): Promise<void> {
  const context = await browser.newContext({ locale: values.lang, reducedMotion: 'reduce', ...screen })
  const page = await context.newPage()
  await page.goto(url)
  if (await page.locator('body[data-live]').count()) await page.locator('body[data-connection="live"]').waitFor()
  await page.evaluate('document.fonts.ready')
  await before?.(page)
  const path = join(folder, `${name}.png`)
  await page.screenshot({ path, fullPage: isWhole })
  await context.close()
  console.log(`${relative(root, path)}  ${Math.round(statSync(path).size / 1_000)} kB`)
}
