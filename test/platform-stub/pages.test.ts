import { expect, test } from 'vitest'
import { startStub } from './fixtures/stub.ts'

test('the checkout shows what is promised and what it costs, escaped, and fetches nothing', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  await server.listing({ itemName: '<script>alert(1)</script>', attributes: '"><b>', unitAmountCents: 123_456 })
  const { data } = await server.call('transaction.create', { itemRef: 'sword-1', quantity: 2, buyerCharacterRef: 'b' })
  const page = await fetch(data.checkoutUrl)
  const text = await page.text()
  expect(page.status).toBe(200)
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
  expect(text).not.toContain('<script>')
  expect(text).not.toContain('<b>')
  expect(text.replaceAll('\u00a0', ' ')).toContain('R$ 2.469,12')
  expect(text).not.toMatch(/(src|href)=/)
})

test('the buyer pays or cancels on the page; a form of another origin does neither', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const paid = await server.purchase()
  const cancelled = await server.purchase()
  const post = async (transactionId: number, act: string, headers: Record<string, string> = {}) => {
    const { checkoutUrl } = await stub.transaction(transactionId)
    return (await fetch(`${checkoutUrl}/${act}`, { method: 'POST', headers, redirect: 'manual' })).status
  }
  expect(await post(paid, 'pay', { Origin: 'https://evil.example' })).toBe(403)
  expect((await stub.transaction(paid)).phase).toBe('awaiting-payment')
  expect(await post(paid, 'pay', { Origin: stub.url })).toBe(303)
  expect((await stub.transaction(paid)).phase).toBe('awaiting-server')
  expect(await post(cancelled, 'cancel')).toBe(303)
  expect((await stub.transaction(cancelled)).phase).toBe('cancelled')
  expect(await post(cancelled, 'pay')).toBe(409)
  expect((await fetch(`${stub.url}/checkout/unknown`)).status).toBe(404)
})

test('the page says what the second check of the estimate found', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const transactionId = await server.purchase()
  await server.call('market.adjust-stock', { itemRef: 'sword-1', observedQuantity: 0 })
  const { checkoutUrl } = await stub.transaction(transactionId)
  const page = await fetch(`${checkoutUrl}/pay`, { method: 'POST' })
  expect([page.status, (await page.text()).includes('Este item está esgotado.')]).toEqual([409, true])
})

test('a character link is confirmed once, and only while it lives', async () => {
  await using stub = await startStub({ settings: { linkExpiryMs: 60_000 } })
  const server = await stub.gameServer({ name: 'Aurora & Irmãos' })
  const link = async () => (await server.call('character.link', { characterRef: 'c', characterName: 'Zé <3' })).data
  const { url, expiresAt } = await link()
  expect(Math.abs(Date.parse(expiresAt) - (await stub.now()) - 60_000)).toBeLessThan(2_000)
  const shown = await (await fetch(url)).text()
  expect(shown).toContain('Zé &lt;3')
  expect(shown).toContain('Aurora &amp; Irmãos')
  expect((await fetch(url, { method: 'POST', headers: { Origin: 'https://evil.example' } })).status).toBe(403)
  expect((await fetch(url, { method: 'POST' })).status).toBe(200)
  expect((await server.call('market.eligibility', { characterRef: 'c' })).data.linked).toBe(true)
  const again = await fetch(url, { method: 'POST' })
  expect([again.status, (await again.text()).includes('Este link já foi usado.')]).toEqual([409, true])

  const late = await link()
  await stub.advance(60)
  const expired = await fetch(late.url, { method: 'POST' })
  expect([expired.status, (await expired.text()).includes('Este link expirou.')]).toEqual([409, true])
  expect((await fetch(`${stub.url}/portal/links/unknown`)).status).toBe(404)
})
