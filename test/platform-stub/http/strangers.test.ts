import fc from 'fast-check'
import { expect, test } from 'vitest'
import { platformOperations } from '../../../platform-stub/marketplace/platform-operations.ts'
import { RawConnection, rawRequest } from '../../agent/fixtures/raw-connection.ts'
import {
  cheaply,
  databaseColumns,
  headerLine,
  hostileName,
  hostileText,
  hostileValue,
} from '../../fixtures/strangers.ts'
import { type GameServer, offer, startStub, type TestStub } from '../fixtures/stub.ts'

/** One request as bytes, and its answer's status. */
async function statusOf(stub: TestStub, line: string, headers: readonly string[], body = ''): Promise<number> {
  using connection = await RawConnection.open(stub.url)
  connection.write(rawRequest(line, body, headers))
  const [answer] = await connection.answered(1)
  return answer?.status ?? 0
}

const partnerPaths = platformOperations.map(({ operation: { method, path } }) => [method, path] as const)
const pagePaths = ['/health', '/console', '/console/requests', '/stub/clock', '/stub/requests', '/openapi.json']
const targets = [
  ...partnerPaths.map(([method, path]) => `${method} ${path.replaceAll(/\{\w+\}/g, '7')}`),
  ...pagePaths.map((path) => `GET ${path}`),
  'POST /stub/reset',
  'PUT /stub/clock',
  'POST /checkout/none/pay',
]

test('a header with the name of a property of every object is a header like any other', async () => {
  await using stub = await startStub()
  for (const name of Object.getOwnPropertyNames(Object.prototype)) {
    expect(await statusOf(stub, 'GET /v1/api/market/eligibility/c', [`${name}: x`]), name).toBe(401)
    expect(await statusOf(stub, 'GET /console/requests', [`${name}: x`]), name).toBe(200)
  }
  expect((await stub.request('GET', '/health')).status).toBe(200)
})

test('whatever a stranger sends is answered, and the stub lives', async () => {
  await using stub = await startStub()
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...targets),
      fc.array(fc.tuple(hostileName, hostileText), { maxLength: 4 }),
      hostileValue,
      async (line, headers, value) => {
        const lines = headers.map(([name, text]) => headerLine(name, text))
        const body = line.startsWith('GET') ? '' : JSON.stringify(value)
        const status = await cheaply(() => statusOf(stub, line, ['content-type: application/json', ...lines], body))
        expect([line, status >= 500]).toEqual([line, false])
        expect((await stub.request('GET', '/health')).status).toBe(200)
      },
    ),
    { numRuns: 150 },
  )
})

test('a game server sets the fields of an operation and no others', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  await server.seller()
  let count = 0
  await fc.assert(
    fc.asyncProperty(fc.dictionary(hostileName, hostileValue, { maxKeys: 6 }).filter(isShort), async (extra) => {
      const itemRef = `item-${++count}`
      await cheaply(() => registered(server, extra, itemRef))
    }),
    { numRuns: 100 },
  )
})

/** Fits into a body, with room for the offer. */
const isShort = (extra: object): boolean => Buffer.byteLength(JSON.stringify(extra)) < 60_000

/** Registers an offer with fields that are none of its own; what comes back says nothing about them. */
async function registered(server: GameServer, extra: Readonly<Record<string, unknown>>, itemRef: string) {
  const proper = { ...offer, itemRef, sellerCharacterRef: 'seller' }
  const { status, data } = await server.call('market.register', {}, { body: JSON.stringify({ ...extra, ...proper }) })
  expect(status).toBe(200)
  expect(data).toMatchObject({ ...offer, itemRef, quantitySold: 0, status: 'ACTIVE' })
  expect(data).toMatchObject({ observedQuantity: null, observedAt: null, withdrawnAt: null })
}

test('a registration that names columns of the database leaves them as they are', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const extra = Object.fromEntries(databaseColumns.map((column) => [column, 9_007_199_254_740_991]))
  await server.seller()
  await registered(server, extra, 'first')
  await registered(server, { id: 'odd', observedQuantity: 3, observedAt: 5, withdrawnAt: 1 }, 'second')
  const { data: listings } = await stub.request('GET', '/stub/listings')
  expect(listings.map(({ id }: { id: number }) => id)).toEqual([2, 1])
})

test.each([
  ['quotation marks', '"'.repeat(60_000)],
  ['escaped quotation marks', `"${'\\"'.repeat(30_000)}`],
  ['white space', `{"a":"${' '.repeat(60_000)}"`],
  ['open lists', '['.repeat(60_000)],
  ['lists within lists', `{"a":${'['.repeat(30)}${'[],'.repeat(15_000)}[]${']'.repeat(30)}}`],
  ['half of a private key', '-----BEGIN PRIVATE KEY-----'.repeat(2_200)],
])('the list of requests is drawn quickly although the refused bodies are of %s', async (_, body) => {
  await using stub = await startStub()
  const line = 'POST /v1/api/transactions'
  for (let sent = 0; sent < 5; sent++) {
    await cheaply(() => statusOf(stub, line, ['content-type: application/json'], body))
  }
  for (const path of ['/console/requests', '/console/requests/1', '/stub/requests', '/console/overview']) {
    expect((await cheaply(() => stub.request('GET', path))).status).toBe(200)
  }
})
