import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { saleSteps } from '../../../platform-stub/pages/console/first-sale.ts'
import { saleCommands } from '../../../platform-stub/pages/console/sale-commands.ts'
import { saleWayGroups, saleWays } from '../../../platform-stub/pages/console/sale-ways.ts'
import { startReceiver } from '../fixtures/receiver.ts'
import { type StubControl, startStub } from '../fixtures/stub.ts'

const names = {
  developerUrl: 'http://127.0.0.1:8787',
  seller: 'char-1',
  isSellerApproved: true,
  buyer: 'char-2',
  itemRef: 'offer-1',
  transactionId: 1,
}

/** The steps that the page shows as done, in their order. */
async function doneOn(stub: StubControl): Promise<string[]> {
  const { text } = await stub.request('GET', '/console/first-sale')
  return [...text.matchAll(/<li id="step-(\w+)" class="card pad done"/g)].map(([, step = '']) => step)
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
  await expect.poll(() => doneOn(stub)).toEqual(saleSteps.slice(0, 6))
  await server.call('transaction.delivery', { transactionId })
  expect(await doneOn(stub)).toEqual([...saleSteps])
  await stub.request('POST', '/stub/reset')
  expect(await doneOn(stub)).toEqual(saleSteps.slice(0, 1))
})

test('the console opens on the first sale until an item was delivered, and on the overview from then on', async () => {
  await using stub = await startStub()
  const open = async () => {
    const { status, headers, text } = await stub.request('GET', '/console')
    return [status, headers.get('location') ?? /<h1>(.*?)<\/h1>/.exec(text)?.[1]]
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
  expect(text).toContain(`buy-sword-1-${transactionId + 1}`)
})

test.each(Object.entries(saleWays))(
  '%s has the commands of every step that its game server does not do by itself',
  (_, way) => {
    const commands = saleCommands(way, names)
    const byItself = 'start' in way ? ['order', 'delivery'] : []
    expect(Object.keys(commands).toSorted()).toEqual([...saleSteps].toSorted())
    for (const step of saleSteps) expect([step, commands[step].length > 0]).toEqual([step, !byItself.includes(step)])
  },
)

test('each way can be chosen once, and each example of the repository is a way', () => {
  const chosen = Object.values(saleWayGroups).flat()
  expect(chosen.toSorted()).toEqual(Object.keys(saleWays).toSorted())
  const examples = readdirSync(join(import.meta.dirname, '..', '..', '..', 'examples'), { withFileTypes: true })
  const games = examples.filter((entry) => entry.isDirectory() && entry.name !== 'scenarios').map(({ name }) => name)
  const started = Object.entries(saleWays).flatMap(([name, way]) =>
    'start' in way ? [[name, way.start] as const] : [],
  )
  expect(started.map(([name]) => name).toSorted()).toEqual(games.toSorted())
  for (const [name, start] of started) expect(start.replaceAll('\\', '/')).toContain(`examples/${name}/`)
})
