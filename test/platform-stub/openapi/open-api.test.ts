import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import { webhookEvents } from '../../../contract/events.ts'
import { limits } from '../../../contract/limits.ts'
import { listingMoves } from '../../../contract/listing.ts'
import { operations, type PlatformOperationName } from '../../../contract/operations.ts'
import { transactionMoves, transactionPhases } from '../../../contract/transaction.ts'
import { operationExamples } from '../../../platform-stub/openapi/examples.ts'
import { type OpenApiDocument, openApiDocument } from '../../../platform-stub/openapi/openapi-document.ts'
import type { OperationObject } from '../../../platform-stub/openapi/shape.ts'
import { fieldsPage } from '../../../scripts/fields-page.ts'
import { answerFaults, operationsOf, schemaChecker } from '../fixtures/open-api.ts'
import { run } from '../fixtures/process.ts'
import { startReceiver } from '../fixtures/receiver.ts'
import { type Answer, type CallChanges, type GameServer, offer, startStub } from '../fixtures/stub.ts'

const document = openApiDocument('http://127.0.0.1:8787')
const platformOperations = Object.entries(operations).flatMap(([name, operation]) =>
  operation.kind === 'platform' ? [{ name: name as PlatformOperationName, operation }] : [],
)

test('what `platform-stub openapi` prints is valid OpenAPI 3.1, and what the stub serves, under its own address', async () => {
  const printed = await run('openapi')
  expect([printed.code, printed.stderr]).toEqual([0, ''])
  const read = JSON.parse(printed.stdout)
  expect(await new Validator().validate(read)).toMatchObject({ valid: true })
  expect(read.openapi).toMatch(/^3\.1\./)
  expect(read).toEqual(JSON.parse(JSON.stringify(document)))

  await using stub = await startStub()
  const served = await fetch(`${stub.url}/openapi.json`)
  expect(served.headers.get('content-type')).toMatch(/^application\/json/)
  expect(await served.json()).toEqual({ ...read, servers: [{ ...read.servers[0], url: stub.url }] })
})

test('the document has every route and event of the contract, and no others', () => {
  const routes = new Set(platformOperations.map(({ operation: { method, path } }) => `${method} ${path}`))
  const written = operationsOf(document).map(([route]) => route)
  expect(written.sort()).toEqual([...routes, ...Object.keys(webhookEvents)].sort())
  const ids = operationsOf(document).map(([, { operationId }]) => operationId)
  expect(new Set(ids).size).toBe(ids.length)
})

test('every route and webhook has the maturity marker of the interface', () => {
  const markers = operationsOf(document).map(([, operation]) => operation['x-maturity'])
  expect(markers).toEqual(Array.from({ length: markers.length }, () => 'ready'))
})

for (const language of ['en', 'pt-BR'] as const) {
  test(`the guide to the fields in docs/${language} is what the contract says today`, async () => {
    const guide = join(import.meta.dirname, '..', '..', '..', 'docs', language, 'fields.md')
    expect(await readFile(guide, 'utf8')).toBe(fieldsPage(language))
  })
}

test('what the guide polls on is promised: both statuses of transaction.get, and no number before the order', () => {
  const { schemas } = document.components
  expect(schemas['TransactionState']?.required).toEqual(['paymentStatus', 'deliveryStatus'])
  expect(schemas['CreatedTransaction']?.required).toEqual(['checkoutUrl'])
  expect(schemas['TransferOrder']?.required).toContain('transactionId')
})

test('every state, every move and every known status is in the document', () => {
  const text = JSON.stringify(document)
  for (const [phase, { paymentStatus, deliveryStatus, outcome }] of Object.entries(transactionPhases)) {
    expect(text).toContain(`| ${phase} | \`${paymentStatus}\` | ${deliveryStatus ? `\`${deliveryStatus}\`` : 'null'} |`)
    if (outcome) expect(text).toContain(outcome)
  }
  for (const [phase, moves] of Object.entries(transactionMoves)) {
    for (const [trigger, next] of Object.entries(moves)) expect(text).toContain(`| ${phase} | ${trigger} | ${next} |`)
  }
  for (const [status, moves] of Object.entries(listingMoves)) {
    for (const trigger of Object.keys(moves)) expect(text).toContain(`| \`${status}\` | \`${trigger}\` |`)
  }
})

test('every example fits the schema that it is an example of', () => {
  const { faults } = schemaChecker(document)
  let count = 0
  for (const [route, { parameters = [], requestBody, responses }] of operationsOf(document)) {
    for (const { schema, example } of parameters) expect(faults(schema, example), route).toEqual([])
    for (const content of [requestBody, ...Object.values(responses)].flatMap((part) => part?.content ?? [])) {
      const { schema, examples } = content['application/json']
      for (const { value } of Object.values(examples)) {
        expect(faults(schema, value), `${route} ${JSON.stringify(value)}`).toEqual([])
        count++
      }
    }
  }
  expect(count).toBeGreaterThan(60)
})

test('each operation answers each status that is documented for it, in the documented shape, and no other', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const seen = new Set<string>()
  const checker = schemaChecker(document)
  const hold = (name: PlatformOperationName, answer: Answer): Answer => {
    const [route, operation] = documentedRoute(document, name)
    expect(answerFaults(answer, operation, checker), `${route} answered ${answer.text}`).toEqual([])
    seen.add(`${route} ${answer.status}`)
    return answer
  }
  const call = async (name: PlatformOperationName, input: Record<string, unknown>, changes?: CallChanges) =>
    hold(name, await server.call(name, input, changes))

  await refuseByKind(call)
  hold('market.eligibility', await eligibilityOfDot(server))
  await tellTheStory(call, () => server.seller('char-1'), stub.pay.bind(stub))

  const documented = operationsOf(document).flatMap(([route, { responses }]) =>
    route.includes(' ') ? Object.keys(responses).map((status) => `${route} ${status}`) : [],
  )
  expect([...seen].sort()).toEqual(documented.filter((one) => !one.endsWith(' default')).sort())
})

type Call = (name: PlatformOperationName, input: Record<string, unknown>, changes?: CallChanges) => Promise<Answer>

/** What is wrong with a request whatever it asks for. */
async function refuseByKind(call: Call): Promise<void> {
  for (const { name, operation } of platformOperations) {
    const { input } = operationExamples[name]
    await call(name, input, { headers: { 'X-Platform-Signature': undefined } })
    if (operation.body === 'none') continue
    await call(name, input, { headers: { 'Content-Type': 'text/plain' } })
    await call(name, input, { sentBody: 'x'.repeat(limits.bodyBytesMax + 1) })
    await call(name, input, { body: '{"transactionId":' })
  }
  await call('transaction.get', { transactionId: 'one' })
}

/** One call of each operation that succeeds, and those that come too late or ask for too much. */
async function tellTheStory(call: Call, approve: () => Promise<string>, pay: (id: number) => Promise<Answer>) {
  const sold = { ...offer, sellerCharacterRef: await approve() }
  const purchase = { itemRef: offer.itemRef, quantity: 1, buyerCharacterRef: 'char-2' }
  await call('character.link', { characterRef: 'char-1' })
  await call('market.eligibility', { characterRef: 'char-1' })
  await call('market.register', sold)
  await call('market.register', sold)
  await call('market.adjust-stock', { itemRef: offer.itemRef, observedQuantity: 4 })
  const created = [await call('transaction.create', purchase), await call('transaction.create', purchase)]
  const [delivered, failed] = created.map(({ data }) => data.transactionId as number)
  if (delivered === undefined || failed === undefined) throw new Error('nothing was created')
  await call('transaction.create', { ...purchase, quantity: 5 })
  await call('transaction.create', { ...purchase, itemRef: 'unknown' })
  await call('transaction.delivery', { transactionId: delivered })
  await pay(delivered)
  await pay(failed)
  await call('transaction.get', { transactionId: delivered })
  await call('transaction.get', { transactionId: 999 })
  await call('transaction.delivery', { transactionId: delivered })
  await call('transaction.delivery', { transactionId: 999 })
  const failure = { reason: 'TEMPORARY', observedQuantity: 1 }
  await call('transaction.delivery-failure', { ...failure, transactionId: failed })
  await call('transaction.delivery-failure', { ...failure, transactionId: delivered })
  await call('transaction.delivery-failure', { ...failure, transactionId: 999 })
  await call('market.withdraw', { itemRef: offer.itemRef })
  await call('market.adjust-stock', { itemRef: offer.itemRef, observedQuantity: 4 })
  await call('market.withdraw', { itemRef: 'unknown' })
}

/** Sent by hand: every other client takes the dot out of the path. */
async function eligibilityOfDot(server: GameServer): Promise<Answer> {
  const path = '/v1/api/market/eligibility/.'
  const { url, headers } = await server.sealed('market.eligibility', { characterRef: 'char-1' }, { path })
  const sent = Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (value ? [[name, value]] : [])))
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port: new URL(url).port, path, headers: sent }, async (response) => {
      const text = (await response.toArray()).join('')
      const contentType = response.headers['content-type'] ?? ''
      resolve({
        status: response.statusCode ?? 0,
        headers: new Headers({ 'content-type': contentType }),
        text,
        data: undefined,
        message: undefined,
      })
    })
      .on('error', reject)
      .end()
  })
}

function documentedRoute(from: OpenApiDocument, name: PlatformOperationName): [string, OperationObject] {
  const { method, path } = operations[name]
  const found = operationsOf(from).find(([route]) => route === `${method} ${path}`)
  if (!found) throw new Error(`${name} is not documented`)
  return found
}

test('what is not documented for a route has the shape for everything else', async () => {
  await using stub = await startStub()
  const { faults } = schemaChecker(document)
  const { status, text } = await stub.request('DELETE', '/v1/api/market/listings')
  const [, { responses }] = documentedRoute(document, 'market.register')
  const schema = responses['default']?.content?.['application/json'].schema
  expect([status, responses[405], schema && faults(schema, JSON.parse(text))]).toEqual([405, undefined, []])
})

test('the examples have the fields that the stub answers with, those beyond the interface included', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  await server.seller('char-1')
  const answered: Partial<Record<PlatformOperationName, object | null>> = {}
  for (const { name } of platformOperations.filter((one) => one.name !== 'market.withdraw')) {
    if (name === 'transaction.get') await stub.pay(1)
    // The delivery comes first in the table; the failure is then reported for another purchase.
    const isFailure = name === 'transaction.delivery-failure'
    if (isFailure) await server.call('transaction.create', operationExamples['transaction.create'].input)
    if (isFailure) await stub.pay(2)
    const input = { ...operationExamples[name].input, ...(isFailure && { transactionId: 2 }) }
    const { status, data = null } = await server.call(name, input)
    expect([name, status]).toEqual([name, 200])
    answered[name] = data
  }
  for (const [name, data] of Object.entries(answered)) {
    const example = operationExamples[name as PlatformOperationName].data
    expect(data && Object.keys(data).sort(), name).toEqual(example && Object.keys(example).sort())
  }
})

test('the webhooks that arrive fit the document, and so does what a receiver answers', async () => {
  const { faults } = schemaChecker(document)
  await using receiver = await startReceiver()
  await using stub = await startStub()
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  await server.call('transaction.delivery', { transactionId: await server.paidTransaction() })
  for (const event of Object.keys(webhookEvents)) {
    const { body, headers } = await receiver.event(event)
    const { requestBody, responses } = document.webhooks[event]?.post ?? {}
    const schema = requestBody?.content['application/json'].schema
    if (!schema) throw new Error(`${event} is not documented`)
    expect(faults(schema, JSON.parse(body.toString())), event).toEqual([])
    expect(faults(schema, { event }), event).not.toEqual([])
    expect(headers).toHaveProperty(document.components.securitySchemes['webhookSignature']?.name.toLowerCase() ?? '')
    const reply = responses?.['2XX']?.content?.['application/json'].schema
    expect(reply !== undefined).toBe(event === 'transfer_order')
    if (reply) expect([faults(reply, { observedQuantity: 4 }), faults(reply, {}).length > 0]).toEqual([[], true])
  }
})
