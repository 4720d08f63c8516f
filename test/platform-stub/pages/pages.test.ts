import { expect, test } from 'vitest'
import { readPage } from '../fixtures/page.ts'
import { startStub } from '../fixtures/stub.ts'

test('the checkout shows what is promised and what it costs, escaped, and fetches only from the stub', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  await server.listing({ itemName: '<script>alert(1)</script>', attributes: '"><b>', unitAmountCents: 123_456 })
  const { data } = await server.call('transaction.create', { itemRef: 'sword-1', quantity: 2, buyerCharacterRef: 'b' })
  const page = await readPage(data.checkoutUrl)
  expect(page.status).toBe(200)
  expect(page.textOf('#item')).toBe('<script>alert(1)</script>')
  expect(page.textOf('blockquote')).toBe('"><b>')
  expect(page.root.querySelectorAll('b')).toEqual([])
  expect(page.textOf('main')).toContain('R$ 2.469,12')
  const addresses = [...page.attributesOf('[src]', 'src'), ...page.attributesOf('[href]', 'href')]
  expect(addresses.filter((address) => !/^\/(assets|checkout)\//.test(address))).toEqual([])
})

test('every page accepts scripts and styles only from its own origin, and none from its text', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const { checkoutUrl } = await stub.transaction(await server.purchase())
  const { data } = await server.call('character.link', { characterRef: 'c' })
  const consoles = [
    '/overview',
    '/first-sale',
    '/transactions',
    '/transactions/1',
    '/listings',
    '/webhooks',
    '/requests',
    '/faults',
  ]
  for (const address of [checkoutUrl, data.url, ...consoles.map((place) => `${stub.url}/console${place}`)]) {
    const page = await readPage(address)
    const policy = Object.fromEntries(
      (page.headers.get('content-security-policy') ?? '').split('; ').map((rule) => rule.split(/ (.*)/)),
    )
    expect(policy).toMatchObject({
      'default-src': "'none'",
      'script-src': "'self'",
      'style-src': "'self'",
      'connect-src': "'self'",
      'form-action': "'self'",
      'base-uri': "'none'",
      'frame-ancestors': "'none'",
    })
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.root.querySelectorAll('style, [style], script:not([src])'), address).toEqual([])
    for (const source of page.attributesOf('script', 'src')) expect(source).toMatch(/^\/assets\//)
    const handlers = page.root.querySelectorAll('*').flatMap((element) => Object.keys(element.attributes))
    expect(handlers.filter((name) => name.startsWith('on'))).toEqual([])
  }
})

test('assets are served under a name that changes with them, and no other file is', async () => {
  await using stub = await startStub()
  const [sheet = ''] = (await readPage(`${stub.url}/console`)).attributesOf('link[href$="base.css"]', 'href')
  const [asset, stale, outside, unknown] = await Promise.all(
    [sheet, '/assets/stale/base.css', `${sheet.replace('base.css', '')}..%2fassets.ts`, '/assets/x'].map((path) =>
      fetch(stub.url + path),
    ),
  )
  expect([asset?.status, asset?.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8'])
  expect(asset?.headers.get('cache-control')).toContain('immutable')
  expect([stale?.status, outside?.status, unknown?.status]).toEqual([404, 404, 404])
})

test('the buyer pays or cancels on the page; a form of another origin does neither', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const paid = await server.purchase()
  const cancelled = await server.purchase()
  const post = async (transactionId: number, act: string, headers: Record<string, string> = {}) => {
    const { checkoutUrl } = await stub.transaction(transactionId)
    const answer = await fetch(`${checkoutUrl}/${act}`, { method: 'POST', headers, redirect: 'manual' })
    return `${answer.status} ${answer.headers.get('location')?.replace(new URL(checkoutUrl).pathname, '') ?? ''}`.trim()
  }
  expect(await post(paid, 'pay', { Origin: 'https://evil.example' })).toBe('403')
  expect((await stub.transaction(paid)).phase).toBe('awaiting-payment')
  expect(await post(paid, 'pay', { Origin: stub.url })).toBe('303')
  expect((await stub.transaction(paid)).phase).toBe('awaiting-server')
  expect(await post(cancelled, 'cancel')).toBe('303')
  expect((await stub.transaction(cancelled)).phase).toBe('cancelled')
  expect(await post(cancelled, 'pay')).toBe('303 ?refused=pay')
  expect(await post(cancelled, 'refund')).toBe('404')
  expect((await fetch(`${stub.url}/checkout/unknown`)).status).toBe(404)
})

test('the page says what the second check of the estimate found', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const transactionId = await server.purchase()
  await server.call('market.adjust-stock', { itemRef: 'sword-1', observedQuantity: 0 })
  const { checkoutUrl } = await stub.transaction(transactionId)
  const page = await readPage(`${checkoutUrl}/pay`, { method: 'POST' })
  expect(page.textOf('[role="alert"]')).toContain('O pagamento não foi feito')
  expect(page.textOf('[role="status"]')).toContain('Este item está esgotado.')
})

test('a character link is confirmed once, and only while it lives', async () => {
  await using stub = await startStub({ settings: { linkExpiryMs: 60_000 } })
  const server = await stub.gameServer({ name: 'Aurora & Irmãos' })
  const link = async () => (await server.call('character.link', { characterRef: 'c', characterName: 'Zé <3' })).data
  const { url, expiresAt } = await link()
  expect(Math.abs(Date.parse(expiresAt) - (await stub.now()) - 60_000)).toBeLessThan(2_000)
  const shown = (await readPage(url)).textsOf('dd')
  expect(shown).toContain('Zé <3')
  expect(shown).toContain('Aurora & Irmãos')
  expect((await fetch(url, { method: 'POST', headers: { Origin: 'https://evil.example' } })).status).toBe(403)
  expect((await readPage(url, { method: 'POST' })).textOf('[role="status"]')).toContain('Personagem vinculado')
  expect((await server.call('market.eligibility', { characterRef: 'c' })).data.linked).toBe(true)
  const again = await readPage(url)
  expect([again.status, again.textOf('[role="alert"] strong')]).toEqual([409, 'Este link já foi usado'])

  const late = await link()
  await stub.advance(60)
  const expired = await readPage(late.url, { method: 'POST' })
  expect([expired.status, expired.textOf('[role="alert"] strong')]).toEqual([409, 'Este link expirou'])
  expect((await fetch(`${stub.url}/portal/links/unknown`)).status).toBe(404)
})
