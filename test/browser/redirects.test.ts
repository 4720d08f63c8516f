import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startStub } from '../platform-stub/fixtures/stub.ts'
import { openBrowser } from './fixtures/browser.ts'

const payButton = (page: Page) => page.getByRole('button', { name: /^Simular pagamento/ })

test('a refused payment is shown once and never sent again by the page itself', async () => {
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url)
  const { page } = browser
  const server = await stub.gameServer()
  const transactionId = await server.purchase()
  const posts = postsOf(page)
  await withoutUpdatesUntilPost(page)
  await page.goto((await stub.transaction(transactionId)).checkoutUrl)
  await server.call('market.adjust-stock', { itemRef: 'sword-1', observedQuantity: 0 })
  await payButton(page).click()
  await page.getByRole('alert').getByText('O pagamento não foi feito').waitFor()
  await page.getByText('Este item está esgotado.').waitFor()
  await page.locator('body[data-connection="live"]').waitFor()

  await server.call('market.adjust-stock', { itemRef: 'sword-1', observedQuantity: 3 })
  await payButton(page).waitFor()
  await page.reload()
  await payButton(page).waitFor()
  expect(posts).toHaveLength(1)
  expect((await stub.transaction(transactionId)).phase).toBe('awaiting-payment')

  await payButton(page).click()
  await page.getByRole('status').getByText('Pagamento confirmado').waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
})

test('a second payment of a paid purchase says that it is paid', async () => {
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url)
  const server = await stub.gameServer()
  const { checkoutUrl } = await stub.transaction(await server.purchase())
  const late = await browser.context.newPage()
  await withoutUpdatesUntilPost(late)
  await late.goto(checkoutUrl)
  await browser.page.goto(checkoutUrl)
  await payButton(browser.page).dblclick()
  // A page in the background draws seldom, and a button that is not drawn cannot be clicked.
  await late.bringToFront()
  await payButton(late).click()
  for (const page of [browser.page, late]) {
    await page.getByRole('status').getByText('Pagamento confirmado').waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    expect(await page.textContent('main')).not.toContain('não foi feito')
  }
})

test('a cancellation that comes after the payment says that the purchase is paid', async () => {
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url)
  const { page } = browser
  const server = await stub.gameServer()
  const transactionId = await server.purchase()
  await withoutUpdatesUntilPost(page)
  await page.goto((await stub.transaction(transactionId)).checkoutUrl)
  await stub.pay(transactionId)
  await page.getByRole('button', { name: 'Cancelar a compra' }).click()
  await page.getByRole('alert').getByText('A compra não foi cancelada').waitFor()
  await page.getByRole('status').getByText('Pagamento confirmado').waitFor()
  expect(await page.textContent('main')).not.toContain('O pagamento não foi feito')
})

test('a confirmed link stays confirmed when its page is loaded again', async () => {
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url)
  const { page } = browser
  const server = await stub.gameServer()
  const { data } = await server.call('character.link', { characterRef: 'c' })
  const posts = postsOf(page)
  await page.goto(data.url)
  await page.getByRole('button', { name: 'Vincular personagem' }).dblclick()
  await page.getByText('Personagem vinculado', { exact: true }).waitFor()
  const sent = posts.length
  await page.reload()
  await page.getByText('Personagem vinculado', { exact: true }).waitFor()
  expect(posts).toHaveLength(sent)
})

/** What the page has posted so far. */
function postsOf(page: Page): string[] {
  const posts: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST') posts.push(request.url())
  })
  return posts
}

/** Keeps a page as it was loaded until it sends a form: what happens before that, the buyer does not see. */
async function withoutUpdatesUntilPost(page: Page): Promise<void> {
  let hasPosted = false
  page.on('request', (request) => {
    hasPosted ||= request.method() === 'POST'
  })
  // A page whose stream is lost fetches itself again after a while.
  await page.route('**/*', (route) => {
    const isUpdate = ['eventsource', 'fetch'].includes(route.request().resourceType())
    return isUpdate && !hasPosted ? route.abort() : route.continue()
  })
}
