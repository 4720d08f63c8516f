import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { html } from 'hono/html'
import { expect, test } from 'vitest'
import { saleSteps } from '../../../platform-stub/pages/console/first-sale.ts'
import { saleCommands } from '../../../platform-stub/pages/console/sale-commands.ts'
import { examplesByOrders } from '../../../platform-stub/pages/console/sale-ways.ts'
import { readPage } from '../fixtures/page.ts'
import { startReceiver } from '../fixtures/receiver.ts'
import { type StubControl, startStub } from '../fixtures/stub.ts'

const usual = {
  seller: 'char-1',
  isSellerApproved: true,
  buyer: 'char-2',
  linkId: 1,
  listingId: 1,
  itemRef: 'offer-1',
  transactionId: 1,
}

/** The steps that the page shows as done, in their order. */
async function doneOn(stub: StubControl): Promise<string[]> {
  const page = await readPage(`${stub.url}/console/first-sale`)
  return page.attributesOf('li.done', 'id').map((id) => id.replace('step-', ''))
}

test('each step of the first sale is ticked off by what the platform has stored, and by nothing else', async () => {
  await using receiver = await startReceiver()
  await using stub = await startStub()
  expect(await doneOn(stub)).toEqual([])
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  expect(await doneOn(stub)).toEqual(saleSteps.slice(0, 1))
  await server.call('market.eligibility', { characterRef: 'c' }, { claims: { kid: 'unknown' } })
  expect(await doneOn(stub)).toEqual(saleSteps.slice(0, 1))
  const { data: link } = await server.call('character.link', { characterRef: 'seller' })
  expect(await doneOn(stub)).toEqual(saleSteps.slice(0, 2))
  await stub.request('POST', new URL(link.url).pathname)
  expect(await doneOn(stub)).toEqual(saleSteps.slice(0, 3))
  await server.listing()
  expect(await doneOn(stub)).toEqual(saleSteps.slice(0, 4))
  const transactionId = await server.purchase()
  expect(await doneOn(stub)).toEqual(saleSteps.slice(0, 5))
  await stub.pay(transactionId)
  expect(await doneOn(stub)).toEqual(saleSteps.slice(0, 6))
  await server.call('transaction.delivery', { transactionId })
  expect(await doneOn(stub)).toEqual([...saleSteps])
  await stub.request('POST', '/stub/reset')
  expect(await doneOn(stub)).toEqual(saleSteps.slice(0, 1))
})

test('the console opens on the first sale until an item was delivered, and on the overview from then on', async () => {
  await using stub = await startStub()
  const open = async () => {
    const page = await readPage(`${stub.url}/console`, { redirect: 'manual' })
    return [page.status, page.headers.get('location') ?? page.textOf('h1')]
  }
  const server = await stub.gameServer()
  const transactionId = await server.paidTransaction()
  expect(await open()).toEqual([302, '/console/first-sale'])
  expect((await stub.request('GET', '/console/overview')).status).toBe(200)
  await server.call('transaction.delivery', { transactionId })
  expect(await open()).toEqual([200, 'Overview'])
  expect((await stub.request('GET', '/console/first-sale')).status).toBe(200)
})

test('a refused signature is spoken of at the step of the first call; the agent’s question for the time is not', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const page = async () => (await stub.request('GET', '/console/first-sale')).text
  await stub.request('GET', '/v1/api/market/eligibility/c')
  expect(await page()).not.toContain('The platform refused a signature.')
  await server.call('market.eligibility', { characterRef: 'c' }, { claims: { kid: 'unknown' } })
  expect(await page()).toContain('The platform refused a signature.')
})

test('a purchase that ended without a delivery is not the end of the first sale: the page asks for another one', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const transactionId = await server.purchase()
  await stub.request('POST', `/stub/transactions/${transactionId}/cancel`)
  const { text } = await stub.request('GET', '/console/first-sale')
  expect(text).toContain('is over. Buy once more.')
  expect(text).toContain('action="/stub/listings/1/buy"')
  expect(text).toContain(`buy-${transactionId + 1}`)
})

test('after a start over no id of the last sale is used again: the agent would answer with what is gone', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const page = async () => (await stub.request('GET', '/console/first-sale')).text
  expect(await page()).toContain('link-1&quot;')
  await server.call('character.link', { characterRef: 'char-1' })
  await server.purchase()
  await stub.request('POST', '/stub/reset')
  const after = await page()
  for (const id of ['link-2', 'register-2-1', 'buy-2']) expect(after).toContain(`&quot;${id}&quot;`)
})

const hostile = `$(touch pwned)\`touch pwned\`'; touch pwned; '"%PATH% \\ ‘a’ ‚b‛ “c” \u0007\u007f\u202e\n\r!! 😀 é`

/** What PowerShell makes of the first text in single quotes after a word. It ends at any kind of single quote but a doubled one. */
function textAfter(word: string, line: string): string {
  const [, quoted = ''] =
    line.slice(line.indexOf(word) + word.length).match(/^['‘’‚‛]((?:[^'‘’‚‛]|(['‘’‚‛])\2)*)['‘’‚‛](?!['‘’‚‛])/) ?? []
  return quoted.replace(/(['‘’‚‛])\1/g, '$1')
}

test('a line for PowerShell says a name as it is, in UTF-8, whatever quotation marks it has', () => {
  const names = { ...usual, seller: hostile, itemRef: `i${hostile}`, buyer: `b${hostile}` }
  const commands = saleCommands('powershell', names, { developerUrl: "http://[::1]:8787/'", agent: null })
  expect(textAfter('--url ', commands.server[0] ?? '')).toBe("http://[::1]:8787/'")
  for (const step of ['call', 'link', 'listing', 'purchase', 'delivery'] as const) {
    const line = commands[step].at(-1) ?? ''
    expect(line).toContain("-ContentType 'application/json; charset=utf-8' -Body ([Text.Encoding]::UTF8.GetBytes(")
    expect([...line].filter((sign) => !/[\x20-\x7eé]/.test(sign))).toEqual([])
  }
  const { input } = JSON.parse(textAfter('GetBytes(', commands.listing[0] ?? ''))
  expect(input).toMatchObject({ sellerCharacterRef: names.seller, itemRef: names.itemRef })
  expect(JSON.parse(textAfter('GetBytes(', commands.purchase[0] ?? '')).input.buyerCharacterRef).toBe(names.buyer)
})

test('a name that an example would read as several words is not offered to be typed', () => {
  for (const seller of [hostile, 'two words', 'line\nquit']) {
    const { link, listing } = saleCommands('examples', { ...usual, seller }, { developerUrl: '', agent: null })
    expect([link, listing]).toEqual([['link char-1'], ['list offer-1 char-1 3 1050']])
  }
})

test('next to an agent that runs already the page starts none, and names its folder and the ways of its orders', async () => {
  await using stub = await startStub()
  await stub.gameServer()
  const page = async (way: string) => (await stub.request('GET', `/console/first-sale?with=${way}`)).text
  const ownCommands = ['platform-stub provision', 'market-agent run', 'agent.env']
  for (const command of ownCommands) expect(await page('files')).toContain(command)
  expect(await page('files')).toContain('spool=spool\n')

  const agent = { url: 'http://127.0.0.1:8901/', spoolDir: '/srv/my game/spool' }
  expect((await stub.request('PUT', '/stub/agent', agent)).status).toBe(200)
  for (const way of ['curl', 'files', 'powershell', 'examples'])
    for (const command of ownCommands) expect([way, (await page(way)).includes(command)]).toEqual([way, false])
  expect(await page('curl')).toContain('http://127.0.0.1:8901/call')
  expect(await page('files')).toContain(String(html`spool=${"'/srv/my game/spool'"}\n`))
  expect(await page('files')).toContain('events/transfer_order-1.json')
  expect(await page('examples')).toContain('<code>examples/lua-files</code>')
  expect(await page('examples')).not.toContain('<code>examples/node</code>')

  await stub.request('PUT', '/stub/agent', { ...agent, forwardUrl: 'http://127.0.0.1:9000/orders' })
  expect(await page('files')).not.toContain('events/transfer_order-1.json')
  expect(await page('files')).toContain('orders.take')
  expect(await page('examples')).toContain('<code>examples/node</code>')
  expect(await page('examples')).not.toContain('<code>examples/lua-files</code>')

  await stub.request('PUT', '/stub/agent', { url: agent.url })
  expect(await page('curl')).not.toContain('with=files')
  expect((await stub.request('PUT', '/stub/agent', { url: 'agent' })).status).toBe(400)
})

test('each example of the repository is named on the page, by how its orders come', () => {
  const examples = readdirSync(join(import.meta.dirname, '..', '..', '..', 'examples'), { withFileTypes: true })
  const games = examples.filter((entry) => entry.isDirectory() && entry.name !== 'scenarios').map(({ name }) => name)
  expect(Object.values(examplesByOrders).flat().toSorted()).toEqual(games.toSorted())
})
