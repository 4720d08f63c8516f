import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { AxeResults, RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { answering, startReceiver } from '../platform-stub/fixtures/receiver.ts'
import { type GameServer, startStub, type TestStub } from '../platform-stub/fixtures/stub.ts'
import { openBrowser, phone } from './fixtures/browser.ts'

/** Dozens of pages, each looked at twice. */
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

test(
  'on every page of the console axe finds nothing, empty or full, in both colour schemes',
  async () => {
    await using receiver = await startReceiver(answering(500, 'down'))
    await using stub = await startStub()
    await using browser = await openBrowser(stub.url)
    const { page } = browser
    const places = ['', '/transactions', '/listings', '/webhooks', '/requests', '/game-servers', '/faults']
    const look = async (place: string) => {
      await page.goto(`${stub.url}/console${place}`)
      await openAll(page)
      expect(await faultsIn(page), place).toEqual([])
    }
    for (const place of places) await look(place)

    await stub.request('POST', '/stub/faults', { kind: 'status', status: 503, operation: 'market.adjust-stock' })
    const server = await stub.gameServer({ webhookUrl: receiver.url })
    await checkoutsOf(stub, server)
    await server.call('market.adjust-stock', { itemRef: 'sword-1', observedQuantity: 1 })
    await server.call('market.eligibility', { characterRef: 'c' }, { claims: { kid: 'unknown' } })
    await server.call('market.adjust-stock', { itemRef: 'sword-1', observedQuantity: 1 }, { sentBody: '{}' })
    await stub.request('POST', '/stub/webhook-faults', { kind: 'delay', delayMs: 1_000 })
    for (const place of [...places, '/transactions/4', '/transactions/6', '/webhooks/1', '/game-servers/1']) {
      await look(place)
    }
    for (const place of ['/transactions/99', '/webhooks/99', '/game-servers/99']) await look(place)
  },
  timeoutMs,
)

test('no page is wider than a phone', async () => {
  await using receiver = await startReceiver(answering(500, 'x'.repeat(500)))
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url, phone)
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
  await fits(`${stub.url}/docs`)
  for (const place of ['', '/transactions', '/transactions/1', '/listings', '/webhooks', '/webhooks/1', '/requests']) {
    await fits(`${stub.url}/console${place}`)
  }
  for (const place of ['/game-servers', '/game-servers/1', '/faults']) await fits(`${stub.url}/console${place}`)
})

/** A checkout in each state that it can be seen in. */
async function checkoutsOf(stub: TestStub, known?: GameServer): Promise<string[]> {
  const server = known ?? (await stub.gameServer())
  const act = (id: number, name: string) => stub.request('POST', `/stub/transactions/${id}/${name}`)
  const fail = (transactionId: number, reason: string) =>
    server.call('transaction.delivery-failure', { transactionId, reason, observedQuantity: 0 })
  await server.listing({ itemRef: 'stock', quantityListed: 50 })
  const ids: number[] = []
  const stages: readonly ((id: number) => Promise<unknown>)[] = [
    async () => undefined,
    (id) => act(id, 'cancel'),
    (id) => act(id, 'expire'),
    (id) => act(id, 'pay'),
    async (id) => [await act(id, 'pay'), await server.call('transaction.delivery', { transactionId: id })],
    async (id) => [await act(id, 'pay'), await act(id, 'dispute')],
    async (id) => [await act(id, 'pay'), await act(id, 'dispute'), await act(id, 'refund')],
    async (id) => [await act(id, 'pay'), await fail(id, 'TEMPORARY')],
    async (id) => [await act(id, 'pay'), await fail(id, 'OUT_OF_STOCK')],
  ]
  for (const stage of stages) {
    // What a failure reported must not keep the next from being bought.
    await server.call('market.adjust-stock', { itemRef: 'stock', observedQuantity: 50 })
    const id = await server.purchase({ itemRef: 'stock' })
    ids.push(id)
    await stage(id)
  }
  await server.listing({ itemRef: 'gone' })
  await server.listing({ itemRef: 'withdrawn' })
  ids.push(await server.purchase({ itemRef: 'gone' }), await server.purchase({ itemRef: 'withdrawn' }))
  await server.call('market.adjust-stock', { itemRef: 'gone', observedQuantity: 0 })
  await server.call('market.withdraw', { itemRef: 'withdrawn' })
  return Promise.all(ids.map(async (id) => (await stub.transaction(id)).checkoutUrl))
}

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
