import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import {
  type OperationName,
  operationNamed,
  operations,
  type PlatformOperation,
  type PlatformOperationName,
  requestOf,
} from '../../contract/operations.ts'
import { readStrictJson } from '../../contract/strict-json.ts'

// Written from docs/decisions/0001 and interface section 4, not from the code.

const table = `
character.link                POST /v1/api/character-links                                service         once        -
market.register               POST /v1/api/market/listings                                signature-only  once        itemRef
market.adjust-stock           PUT  /v1/api/market/listings                                service         idempotent  itemRef
market.withdraw               PUT  /v1/api/market/listings                                service         idempotent  itemRef
market.eligibility            GET  /v1/api/market/eligibility/{characterRef}              service         safe        -
transaction.create            POST /v1/api/transactions                                   signature-only  once        -
transaction.get               GET  /v1/api/transactions/{transactionId}                   service         safe        -
transaction.delivery          POST /v1/api/transactions/{transactionId}/delivery          service         idempotent  transactionId
transaction.delivery-failure  POST /v1/api/transactions/{transactionId}/delivery-failure  service         idempotent  transactionId
`

/** An input that passes, for each operation. */
const inputs = {
  'character.link': { characterRef: 'Zé' },
  'market.register': {
    itemRef: 'item-1',
    gameItemId: 'sword',
    itemName: 'Espada',
    attributes: '+7',
    quantityListed: 2,
    unitAmountCents: 990,
    sellerCharacterRef: 'Zé',
  },
  'market.adjust-stock': { itemRef: 'item-1', observedQuantity: 0 },
  'market.withdraw': { itemRef: 'item-1' },
  'market.eligibility': { characterRef: 'Zé' },
  'transaction.create': { itemRef: 'item-1', quantity: 1, buyerCharacterRef: 'Ana' },
  'transaction.get': { transactionId: 7 },
  'transaction.delivery': { transactionId: 7 },
  'transaction.delivery-failure': { transactionId: 7, reason: 'TEMPORARY', observedQuantity: 0 },
  'market.register.envelope': {
    itemRef: 'item-1',
    gameItemId: 'sword',
    itemName: 'Espada',
    attributes: '+7',
    quantityListed: 2,
    unitAmountCents: 990,
    sellerCharacterRef: 'Zé',
  },
  'transaction.create.envelope': { itemRef: 'item-1', quantity: 1, buyerCharacterRef: 'Ana' },
  'webhook.verify': { signature: 'a..b', body: '{}' },
  'orders.open': {},
  'orders.take': { transactionId: 7, observedQuantity: 0 },
} as const satisfies Record<OperationName, object>

const names = Object.keys(operations) as OperationName[]
const platformNames = names.filter((name) => operations[name].kind === 'platform') as PlatformOperationName[]
const platform = (name: PlatformOperationName): PlatformOperation => operations[name]
const accepts = (name: OperationName, input: unknown) => operations[name].input.safeParse(input).success

test('the nine platform operations are those of the table, route, auth, retry class and order', () => {
  const rows = table
    .trim()
    .split('\n')
    .map((row) => row.split(/\s+/))
  const ours = platformNames.map((name) => {
    const { method, path, auth, retry, orderedBy } = platform(name)
    return [name, method, path, auth, retry, orderedBy ?? '-']
  })
  expect(ours.sort()).toEqual(rows.sort())
})

test('besides them there are two envelopes, the verification of webhooks and the orders, and nothing else', () => {
  expect(names.filter((name) => operations[name].kind !== 'platform').sort()).toEqual([
    'market.register.envelope',
    'orders.open',
    'orders.take',
    'transaction.create.envelope',
    'webhook.verify',
  ])
  for (const seals of ['market.register', 'transaction.create'] as const) {
    expect(operations[`${seals}.envelope`]).toMatchObject({ kind: 'envelope', seals, input: operations[seals].input })
    expect(operations[seals].auth).toBe('signature-only')
  }
})

test('every summary is one line, and different from the others', () => {
  const summaries = names.map((name) => operations[name].summary)
  for (const summary of summaries) expect(summary).toMatch(/^[A-Z][^\n]{10,110}\.$/)
  expect(new Set(summaries).size).toBe(names.length)
})

test('an ordering key, an echoed field and a path field are fields that the input requires', () => {
  for (const name of platformNames) {
    const { path, orderedBy, echoed } = platform(name)
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, field]) => field)
    for (const field of [...inPath, orderedBy, echoed]) {
      if (!field) continue
      expect(accepts(name, inputs[name]), name).toBe(true)
      expect(accepts(name, { ...inputs[name], [field]: undefined }), `${name} without ${field}`).toBe(false)
    }
  }
})

test('names from outside find their own entry and no inherited one', () => {
  for (const name of names) expect(operationNamed(name)).toBe(operations[name])
  for (const name of ['', 'market', 'MARKET.REGISTER', '__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    expect(operationNamed(name)).toBeUndefined()
  }
})

test('every required field is required, and no other', () => {
  const optional = {
    'character.link': { characterName: 'José' },
    'transaction.delivery-failure': { detail: 'livre' },
    'webhook.verify': { body: '{}', bodyBase64: 'e30=' },
  }
  for (const name of names) {
    expect(accepts(name, inputs[name]), name).toBe(true)
    expect(accepts(name, { ...inputs[name], ...(optional as Record<string, object>)[name] }), name).toBe(true)
    for (const field of Object.keys(inputs[name])) {
      if (name === 'webhook.verify' && field === 'body') continue
      const { [field]: _, ...rest } = inputs[name] as Record<string, unknown>
      expect(accepts(name, rest), `${name} without ${field}`).toBe(false)
      expect(accepts(name, { ...rest, [field]: null }), `${name} with ${field} null`).toBe(false)
    }
  }
})

test('a number is whole, exact and not below its bound; a reason is one of two', () => {
  const failure = inputs['transaction.delivery-failure']
  for (const wrong of [0, -1, 1.5, 2 ** 53, '7', true, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(accepts('transaction.get', { transactionId: wrong }), `${wrong}`).toBe(false)
    expect(accepts('transaction.create', { ...inputs['transaction.create'], quantity: wrong }), `${wrong}`).toBe(false)
  }
  for (const wrong of [-1, 1.5, 2 ** 53, '0', null]) {
    expect(accepts('market.adjust-stock', { itemRef: 'a', observedQuantity: wrong }), `${wrong}`).toBe(false)
    expect(accepts('transaction.delivery-failure', { ...failure, observedQuantity: wrong }), `${wrong}`).toBe(false)
  }
  for (const reason of ['OUT_OF_STOCK', 'TEMPORARY']) {
    expect(accepts('transaction.delivery-failure', { ...failure, reason })).toBe(true)
  }
  for (const reason of ['', 'temporary', 'OTHER', null, ['TEMPORARY']]) {
    expect(accepts('transaction.delivery-failure', { ...failure, reason }), `${reason}`).toBe(false)
  }
})

test('a path field that would leave its path is refused', () => {
  for (const characterRef of ['.', '..', ''])
    expect(accepts('market.eligibility', { characterRef }), characterRef).toBe(false)
  for (const characterRef of ['...', '.a', 'a.', '. ', '..\n', '%2e%2e', '../..']) {
    expect(accepts('market.eligibility', { characterRef }), characterRef).toBe(true)
  }
})

test('no path field changes its route, whatever it holds', () => {
  const eligibility = platform('market.eligibility')
  const texts = [
    'a/b?c#d é',
    '../../transactions',
    '%2e%2e',
    '%2F',
    '..\n',
    '\t..',
    '...',
    '\\..\\',
    'a;b',
    '🗡',
    '?',
    '#',
    ':',
    '@',
    ' ',
  ]
  for (const characterRef of texts) {
    const { path } = requestOf(eligibility, { characterRef })
    const { pathname, search, hash } = new URL(`https://platform.example${path}`)
    expect({ pathname, search, hash }, characterRef).toEqual({ pathname: path, search: '', hash: '' })
    expect(path.split('/').length, characterRef).toBe(6)
    expect(decodeURIComponent(path.split('/').at(-1) ?? ''), characterRef).toBe(characterRef)
  }
  expect(requestOf(eligibility, { characterRef: 'a/b?c#d é' })).toEqual({
    method: 'GET',
    path: '/v1/api/market/eligibility/a%2Fb%3Fc%23d%20%C3%A9',
    body: '',
  })
  expect(requestOf(eligibility, { characterRef: '$&{characterRef}' }).path).toBe(
    '/v1/api/market/eligibility/%24%26%7BcharacterRef%7D',
  )
  expect(requestOf(platform('transaction.get'), { transactionId: Number.MAX_SAFE_INTEGER }).path).toBe(
    '/v1/api/transactions/9007199254740991',
  )
})

test('a path field is not in the body; every other field is, the unknown ones too', () => {
  expect(
    requestOf(platform('transaction.delivery-failure'), { ...inputs['transaction.delivery-failure'], note: [1] }),
  ).toEqual({
    method: 'POST',
    path: '/v1/api/transactions/7/delivery-failure',
    body: '{"reason":"TEMPORARY","observedQuantity":0,"note":[1]}',
  })
  const link = { characterRef: 'Zé', characterName: '★', guild: { id: 1 } }
  expect(requestOf(platform('character.link'), link).body).toBe(JSON.stringify(link))
})

test('the body of a delivery is {} whatever the input holds, and of a GET nothing', () => {
  for (const extra of [{}, { quantity: 1 }, { action: 'x', body: 'y' }, JSON.parse('{"__proto__":{"a":1}}')]) {
    expect(requestOf(platform('transaction.delivery'), { transactionId: 7, ...extra })).toEqual({
      method: 'POST',
      path: '/v1/api/transactions/7/delivery',
      body: '{}',
    })
    expect(requestOf(platform('transaction.get'), { transactionId: 7, ...extra }).body).toBe('')
    expect(requestOf(platform('market.eligibility'), { characterRef: 'a', ...extra }).body).toBe('')
  }
})

test('the action is the operation’s own, whatever the input says', () => {
  const bodyOf = (name: PlatformOperationName, input: object) =>
    JSON.parse(requestOf(platform(name), { ...input }).body)
  for (const action of [undefined, 'WITHDRAW', 'ADJUST_STOCK', 'market.adjust-stock', null]) {
    const adjust = bodyOf('market.adjust-stock', { ...inputs['market.adjust-stock'], action })
    expect(adjust).toEqual({ itemRef: 'item-1', observedQuantity: 0, action: 'ADJUST_STOCK' })
    const withdraw = bodyOf('market.withdraw', { itemRef: 'item-1', action })
    expect(withdraw).toEqual({ itemRef: 'item-1', action: 'WITHDRAW' })
  }
})

test('__proto__ and its like are fields like any other: they pass through and change nothing', () => {
  const text =
    '{"itemRef":"a","observedQuantity":1,"__proto__":{"action":"WITHDRAW","itemRef":"b"},"constructor":1,"toString":2}'
  const reading = readStrictJson(text)
  if (!reading.ok) throw new Error(reading.error.kind)
  const parsed = operations['market.adjust-stock'].input.safeParse(reading.object.value)
  expect(parsed.success).toBe(true)
  const { body } = requestOf(platform('market.adjust-stock'), reading.object.value)
  expect(body).toBe(text.replace(/\}$/, ',"action":"ADJUST_STOCK"}'))
  expect(({} as Record<string, unknown>)['action']).toBeUndefined()
})

test('what a schema takes from an input, requestOf writes as the input had it', () => {
  for (const name of platformNames) {
    const input = { ...inputs[name], extra: { text: 'é★', list: [1, null] } }
    const parsed = operations[name].input.parse(input) as Record<string, unknown>
    expect(JSON.parse(requestOf(platform(name), parsed).body || 'null'), name).toEqual(
      JSON.parse(requestOf(platform(name), input).body || 'null'),
    )
  }
})

test('a path that stands for several operations tells them apart by their action', () => {
  const routes = platformNames.map((name) => {
    const { method, path, implied } = platform(name)
    return `${method} ${path} ${implied['action'] ?? ''}`
  })
  expect(new Set(routes).size).toBe(routes.length)
})

test('every input can be told as JSON Schema, its required fields and its open end too', () => {
  for (const name of names) {
    const schema = z.toJSONSchema(operations[name].input, { io: 'input' }) as Record<string, unknown>
    expect(schema['type'], name).toBe('object')
    expect(schema['additionalProperties'], name).not.toBe(false)
    const required = Object.keys(inputs[name]).filter((field) => !(name === 'webhook.verify' && field === 'body'))
    expect([...((schema['required'] as string[]) ?? [])].sort(), name).toEqual(required.sort())
    expect(JSON.parse(JSON.stringify(schema)), name).toEqual(schema)
  }
  expect(z.toJSONSchema(operations['market.register'].input)).toMatchObject({
    properties: {
      attributes: { type: 'string', minLength: 1, maxLength: 255 },
      unitAmountCents: { type: 'integer', minimum: 1 },
    },
  })
})

test('every output can be told as JSON Schema; the PUTs have none', () => {
  for (const name of platformNames) {
    const { method, output } = platform(name)
    expect(output === null, name).toBe(method === 'PUT')
    if (output) expect(z.toJSONSchema(output), name).toMatchObject({ type: 'object' })
  }
})
