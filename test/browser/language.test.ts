import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { authenticationSteps } from '../../platform-stub/pages/console/authentication-steps.ts'
import { examplesByOrders } from '../../platform-stub/pages/console/sale-ways.ts'
import { answering, startReceiver } from '../platform-stub/fixtures/receiver.ts'
import { startStub } from '../platform-stub/fixtures/stub.ts'
import { isLive, markPage, openBrowser } from './fixtures/browser.ts'
import { consoleDetails, consoleLists, fillConsole, unknownDetails } from './fixtures/full-console.ts'

/** Words that both languages have: names, units, what the market of these tests contains. */
const sharedWords = new Set([
  ...['platform-stub', 'OpenAPI', 'Console', 'Webhook', 'Webhooks', 'Checkout', 'Payload', 'Item', 'Status', 'UTC'],
  ...['ms', 's', 'min', 'h', 'bytes', 'SHA-256', 'Retry-After', 'null', ...authenticationSteps, 'delay'],
  ...[
    'alg',
    'kid',
    'jti',
    'iat',
    'exp',
    'htm',
    'htu',
    'agent.env',
    'signing-key.pem',
    'platform-public-key.pem',
    'char-1',
  ],
  ...['curl', 'PowerShell'],
  ...Object.values(examplesByOrders).flatMap((folders) => folders.map((folder) => `examples/${folder}`)),
  ...['quantity', 'outcome', 'test-buyer', 'test-seller', 'test-item'],
  ...['Aurora', 'Espada', 'Rúnica', 'Ataque', 'Fogo', 'buyer', 'seller', 'sword-1'],
])

/** Whether each word is a number, an address, the name of a state, operation, event or field, or a shared word. */
function isShared(text: string): boolean {
  const isName = (word: string) => /^([A-Z\d_]+|[a-z]+([._][a-z-]+)+|[a-z]+([A-Z][a-z]+)+|https?:.*)$/.test(word)
  const words = text.split(/:?[\s,·]+|:$/).filter((word) => /\p{L}/u.test(word))
  return words.every((word) => sharedWords.has(word) || isName(word))
}

test('no text of the console is left in English when it is shown in Portuguese', async () => {
  await using receiver = await startReceiver(answering(500, 'down'))
  await using stub = await startStub()
  await using english = await openBrowser(stub.url, { locale: 'en-US' })
  await using portuguese = await openBrowser(stub.url, { locale: 'pt-BR' })
  const expectTranslated = async (place: string) => {
    const address = `${stub.url}${place}`
    const texts = new Set(await textsOn(english.page, address))
    const same = (await textsOn(portuguese.page, address)).filter((text) => texts.has(text) && !isShared(text))
    expect(same, place).toEqual([])
  }
  for (const place of [...consoleLists, '/unknown']) await expectTranslated(`/console${place}`)
  await fillConsole(stub, receiver.url)
  for (const place of [...consoleLists, ...consoleDetails, ...unknownDetails])
    await expectTranslated(`/console${place}`)
}, 120_000)

test('the switch shows the same page in the other language, and every page after it', async () => {
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url)
  const { page } = browser
  const server = await stub.gameServer()
  await server.purchase({ itemRef: 'a&b' })
  await server.purchase({ itemRef: 'other' })
  const address = `${stub.url}/console/transactions?search=a%26b&phase=awaiting-payment`
  await page.goto(address)
  await page.getByRole('link', { name: 'Português' }).click()
  await page.getByRole('heading', { name: 'Transações' }).waitFor()
  expect([page.url(), await page.getByRole('searchbox').inputValue()]).toEqual([address, 'a&b'])
  await page.getByRole('button', { name: 'Buscar' }).click()
  await page.getByRole('link', { name: 'Anúncios' }).click()
  await page.getByRole('heading', { name: 'Anúncios' }).waitFor()
  await page.getByRole('link', { name: 'English' }).click()
  await page.getByRole('heading', { name: 'Listings' }).waitFor()
})

test('an update of the page and an act on it keep the language', async () => {
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url)
  const { page } = browser
  const server = await stub.gameServer()
  const transactionId = await server.purchase()
  await page.goto(`${stub.url}/console/transactions/${transactionId}?lang=pt-BR`)
  await isLive(page)
  const isSamePage = await markPage(page)
  await page
    .getByText(/em \d+ min/)
    .first()
    .waitFor()
  await stub.pay(transactionId)
  await page.getByText('Pagamento confirmado').waitFor()
  await page.getByRole('button', { name: 'Abrir disputa' }).click()
  await page.getByText('Disputa aberta').waitFor()
  expect(await isSamePage()).toBe(true)
})

test('a page that is open in two tabs follows the switch in the other one as a whole', async () => {
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url)
  const { page, context } = browser
  const server = await stub.gameServer()
  await page.goto(`${stub.url}/console/transactions`)
  await isLive(page)
  const other = await context.newPage()
  await other.goto(`${stub.url}/console?lang=pt-BR`)
  await server.purchase()
  await page.getByRole('row').filter({ hasText: 'comprador' }).waitFor()
  await page.getByRole('link', { name: 'Servidores de jogo' }).waitFor()
  expect(await page.evaluate(() => document.documentElement.lang)).toBe('pt-BR')
})

/** What a person reads or hears on a page, except code, moments, and parts in a language of their own. */
async function textsOn(page: Page, address: string): Promise<string[]> {
  await page.goto(address)
  return page.evaluate(() => {
    const texts: string[] = [document.title]
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node instanceof Element ? node : node.parentElement
      if (!element || element.closest('code, pre, time, body [lang]')) continue
      if (node instanceof Text) texts.push(node.data)
      else {
        for (const { name, value } of element.attributes) {
          if (/^(aria-label|placeholder|title|data-(name|done|live|lost|question|no-answer))$/.test(name))
            texts.push(value)
        }
      }
    }
    return texts.map((text) => text.trim().replace(/\s+/g, ' ')).filter(Boolean)
  })
}
