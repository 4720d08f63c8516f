import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { startStub } from '../platform-stub/fixtures/stub.ts'
import { isLive, openBrowser } from './fixtures/browser.ts'

test('an item that is named like a script is shown as it is written, and never run', async () => {
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url)
  const { page } = browser
  const dialogs: string[] = []
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message())
    void dialog.dismiss()
  })
  const name = `<script>alert(1)</script><img src=x onerror=alert(2)>"'&`
  const server = await stub.gameServer({ name })
  await server.listing({ itemName: name, attributes: name, itemRef: 'x"><script>alert(3)</script>' })
  const { data } = await server.call('transaction.create', {
    itemRef: 'x"><script>alert(3)</script>',
    quantity: 1,
    buyerCharacterRef: name,
  })
  await stub.pay(data.transactionId)
  const link = await server.call('character.link', { characterRef: name, characterName: name })
  await page.goto(data.checkoutUrl)
  expect(await page.getByRole('heading', { level: 2 }).first().textContent()).toBe(name)
  await page.goto(link.data.url)
  await page.getByText(name).first().waitFor()
  for (const place of [
    '/overview',
    '/first-sale',
    '/transactions',
    '/transactions/1',
    '/listings',
    '/webhooks/1',
    '/game-servers/1',
  ]) {
    await page.goto(`${stub.url}/console${place}`)
    await isLive(page)
    // What came by an update is as harmless as what came with the page.
    await server.call('market.adjust-stock', { itemRef: 'x"><script>alert(3)</script>', observedQuantity: 1 })
  }
  await page.goto(`${stub.url}/console/transactions?search=${encodeURIComponent(name)}`)
  expect(await page.getByRole('searchbox').inputValue()).toBe(name)
  expect(await page.getByRole('link', { name }).count()).toBe(1)
  expect(dialogs).toEqual([])
})

test('a page of another origin can neither pay, nor link, nor act, nor frame the checkout', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const transactionId = await server.purchase()
  const { checkoutUrl } = await stub.transaction(transactionId)
  const { data } = await server.call('character.link', { characterRef: 'c' })
  await using elsewhere = await pageElsewhere(`
    <form id="pay" method="post" action="${checkoutUrl}/pay"></form>
    <form id="link" method="post" action="${data.url}"></form>
    <form id="act" method="post" action="${stub.url}/stub/transactions/${transactionId}/pay"></form>
    <iframe src="${checkoutUrl}"></iframe>`)
  const browser = await openBrowser(stub.url)
  const { page } = browser
  for (const [form, said] of [
    ['pay', 'Esta ação veio de outra página'],
    ['link', 'Esta ação veio de outra página'],
    ['act', 'Esta requisição veio de outra página'],
  ] as const) {
    await page.goto(elsewhere.url)
    const [answer] = await Promise.all([
      page.waitForNavigation(),
      page.evaluate((id) => (document.getElementById(id) as HTMLFormElement).submit(), form),
    ])
    expect([answer?.status(), (await page.textContent('body'))?.includes(said)], form).toEqual([403, true])
  }
  await page.goto(elsewhere.url)
  expect(await page.frameLocator('iframe').getByRole('heading').count()).toBe(0)
  const fromElsewhere = await page.evaluate(
    (url) =>
      fetch(url).then(
        () => 'read',
        () => 'refused',
      ),
    `${stub.url}/console`,
  )
  expect(fromElsewhere).toBe('refused')
  expect((await stub.transaction(transactionId)).phase).toBe('awaiting-payment')
  expect((await server.call('market.eligibility', { characterRef: 'c' })).data.linked).toBe(false)

  // Following a link does no harm: it shows the console to a person, and nothing to the page that it stood on.
  await page.evaluate((url) => location.assign(url), `${stub.url}/console`)
  await page.getByRole('heading', { name: 'Your first sale' }).waitFor()
  await browser.context.close()
})

/** A page on another port of this machine, which is another origin. */
async function pageElsewhere(body: string) {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(`<!doctype html><title>elsewhere</title>${body}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
