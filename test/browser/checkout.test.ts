import { expect, test } from 'vitest'
import { startReceiver } from '../platform-stub/fixtures/receiver.ts'
import { startStub } from '../platform-stub/fixtures/stub.ts'
import { isLive, markPage, openBrowser } from './fixtures/browser.ts'

test('a player links, a buyer pays, the item arrives: each page follows by itself', async () => {
  await using receiver = await startReceiver()
  await using stub = await startStub({ settings: { completionDelayMs: 60_000 } })
  await using browser = await openBrowser(stub.url)
  const { page } = browser
  const server = await stub.gameServer({ name: 'Aurora', webhookUrl: receiver.url })

  const link = await server.call('character.link', { characterRef: 'seller', characterName: 'Aldebarã' })
  await page.goto(link.data.url)
  expect(await page.getByRole('main').textContent()).toMatch(/Aldebarã[\s\S]*seller[\s\S]*Aurora/)
  await page.getByRole('button', { name: 'Vincular personagem' }).click()
  await page.getByText('Personagem vinculado', { exact: true }).waitFor()
  await page.goto(link.data.url)
  await page.getByText('Este link já foi usado', { exact: true }).waitFor()

  await server.listing({ unitAmountCents: 123_456 })
  const { data } = await server.call('transaction.create', { itemRef: 'sword-1', quantity: 2, buyerCharacterRef: 'b' })
  await page.goto(data.checkoutUrl)
  const main = page.getByRole('main')
  const shown = (await main.textContent())?.replaceAll('\u00a0', ' ') ?? ''
  for (const promised of ['Espada Rúnica', 'Ataque +12, Fogo +3', 'R$ 1.234,56', 'R$ 2.469,12', 'Aurora']) {
    expect(shown).toContain(promised)
  }
  await page.getByRole('button', { name: /^Simular pagamento de R\$\s2\.469,12$/ }).click()
  await main.getByRole('status').getByText('Pagamento confirmado').waitFor()
  await receiver.event('transfer_order', data.transactionId)

  await isLive(page)
  const isSamePage = await markPage(page)
  await server.call('transaction.delivery', { transactionId: data.transactionId })
  await main.getByRole('status').getByText('Item entregue').waitFor()
  await stub.advance(60)
  await main.getByRole('status').getByText('Compra concluída').waitFor()
  expect(await isSamePage()).toBe(true)
  await receiver.event('transaction_terminal', data.transactionId)
})

test('the page says plainly that an item is gone, and the money comes back', async () => {
  await using receiver = await startReceiver()
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url)
  const { page } = browser
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  const transactionId = await server.paidTransaction()
  await page.goto((await stub.transaction(transactionId)).checkoutUrl)
  await isLive(page)
  await server.call('transaction.delivery-failure', { transactionId, reason: 'OUT_OF_STOCK', observedQuantity: 0 })
  await page.getByRole('status').getByText('Dinheiro devolvido').waitFor()
  const steps = await page.getByRole('main').getByRole('listitem').allTextContents()
  expect(steps.map((step) => step.replace(/\s*\d\d:\d\d\s*$/, '').trim())).toEqual([
    'Compra criada',
    'Pagamento confirmado',
    'O item não existe mais no jogo',
    'Dinheiro devolvido',
  ])
})

test('while the buyer looks, sold out and withdrawn take the payment away, and new stock brings it back', async () => {
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url)
  const { page } = browser
  const server = await stub.gameServer()
  await page.goto((await stub.transaction(await server.purchase())).checkoutUrl)
  await isLive(page)
  const pay = page.getByRole('button', { name: /^Simular pagamento/ })
  await pay.waitFor()
  await server.call('market.adjust-stock', { itemRef: 'sword-1', observedQuantity: 0 })
  await page.getByText('Este item está esgotado.').waitFor()
  expect(await pay.count()).toBe(0)
  await server.call('market.adjust-stock', { itemRef: 'sword-1', observedQuantity: 2 })
  await pay.waitFor()
  await server.call('market.withdraw', { itemRef: 'sword-1' })
  await page.getByText('Este anúncio foi retirado').waitFor()
  await page.getByRole('button', { name: 'Cancelar a compra' }).click()
  await page.getByRole('status').getByText('Compra cancelada').waitFor()
})

test('what is left of the time counts down by the stub’s clock, and its end shows without a reload', async () => {
  await using stub = await startStub({ settings: { paymentExpiryMs: 1_800_000 } })
  await using browser = await openBrowser(stub.url)
  const { page } = browser
  const server = await stub.gameServer()
  await page.goto((await stub.transaction(await server.purchase())).checkoutUrl)
  const left = page.getByRole('timer', { name: 'Tempo para pagar' })
  expect(await left.textContent()).toMatch(/^(30:00|29:5\d)$/)
  await isLive(page)
  const isSamePage = await markPage(page)
  await stub.advance(1_500)
  await page.waitForFunction(() => /^0[45]:\d\d$/.test(document.querySelector('[role=timer]')?.textContent ?? ''))
  await stub.advance(300)
  await page.getByText('O prazo de pagamento terminou').waitFor()
  expect(await isSamePage()).toBe(true)
})

test('a link that runs out while it is looked at says so', async () => {
  await using stub = await startStub({ settings: { linkExpiryMs: 60_000 } })
  await using browser = await openBrowser(stub.url)
  const { page } = browser
  const server = await stub.gameServer()
  const { data } = await server.call('character.link', { characterRef: 'c' })
  await page.goto(data.url)
  await isLive(page)
  await stub.advance(60)
  await page.getByText('Este link expirou', { exact: true }).waitFor()
  expect(await page.getByRole('button').count()).toBe(0)
})

test('without JavaScript the page says how long is left, takes the payment and leads on', async () => {
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url, { javaScriptEnabled: false })
  const { page } = browser
  const server = await stub.gameServer()
  const transactionId = await server.purchase()
  await page.goto((await stub.transaction(transactionId)).checkoutUrl)
  expect(await page.getByRole('timer').textContent()).toMatch(/^(30:00|29:5\d)$/)
  await stub.advance(600)
  await page.getByRole('link', { name: 'Atualizar a página' }).click()
  await page.waitForLoadState()
  expect(await page.getByRole('timer').textContent()).toMatch(/^(20:00|19:5\d)$/)
  await page.getByRole('button', { name: /^Simular pagamento/ }).click()
  await page.getByRole('status').getByText('Pagamento confirmado').waitFor()
  expect((await stub.transaction(transactionId)).phase).toBe('awaiting-server')
})

test('the buyer reads the attributes as the seller wrote them, white space and line breaks included', async () => {
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url)
  const { page } = browser
  const server = await stub.gameServer()
  const attributes = 'Ataque  120\n  Defesa 40\n\n<b>rara</b>'
  await server.listing({ attributes })
  await page.goto((await stub.transaction(await server.purchase())).checkoutUrl)
  expect(await page.locator('blockquote').innerText()).toBe(attributes)
})
