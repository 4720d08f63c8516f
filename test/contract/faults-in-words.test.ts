import { expect, test } from 'vitest'
import { envelopeSteps } from '../../contract/envelope/open.ts'
import { envelopeErrorInWords, inputErrorInWords, jsonErrorInWords } from '../../contract/faults-in-words.ts'
import { limits } from '../../contract/limits.ts'
import { type OperationName, operations } from '../../contract/operations.ts'
import { readStrictJson } from '../../contract/strict-json.ts'

/** What an operation says to an input. */
function said(name: OperationName, input: unknown): string {
  const { error } = operations[name].input.safeParse(input)
  const issue = error?.issues[0]
  return issue ? inputErrorInWords(issue, input) : 'nothing is wrong'
}

/** What is said about a JSON text. */
function saidOf(text: string): string {
  const reading = readStrictJson(text)
  return reading.ok ? 'nothing is wrong' : jsonErrorInWords(reading.error)
}

const listing = {
  itemRef: 'item-1',
  gameItemId: 'sword',
  itemName: 'Espada',
  attributes: '+7',
  quantityListed: 2,
  unitAmountCents: 990,
  sellerCharacterRef: 'Zé',
}
const failure = { transactionId: 7, reason: 'TEMPORARY', observedQuantity: 0 }

test('each fault of an input is described in Portuguese, with the field, the mend and what came', () => {
  const dialogue: [OperationName, unknown, string][] = [
    ['market.withdraw', {}, 'O campo "itemRef" é obrigatório: envie um texto.'],
    ['market.withdraw', { itemRef: null }, 'O campo "itemRef" deve ser um texto; foi recebido null.'],
    ['market.withdraw', { itemRef: '' }, 'O campo "itemRef" deve ser um texto não vazio; foi recebido um texto vazio.'],
    ['market.withdraw', { itemRef: 7 }, 'O campo "itemRef" deve ser um texto; foi recebido o número 7.'],
    ['market.withdraw', { itemRef: true }, 'O campo "itemRef" deve ser um texto; foi recebido true.'],
    ['market.withdraw', { itemRef: ['a'] }, 'O campo "itemRef" deve ser um texto; foi recebida uma lista.'],
    ['market.withdraw', { itemRef: {} }, 'O campo "itemRef" deve ser um texto; foi recebido um objeto.'],
    ['transaction.get', {}, 'O campo "transactionId" é obrigatório: envie um número inteiro.'],
    [
      'transaction.get',
      { transactionId: '7' },
      'O campo "transactionId" deve ser um número inteiro; foi recebido o texto "7".',
    ],
    [
      'transaction.get',
      { transactionId: 1.5 },
      'O campo "transactionId" deve ser um número inteiro; foi recebido o número 1.5.',
    ],
    [
      'transaction.get',
      { transactionId: 0 },
      'O campo "transactionId" deve ser um número inteiro a partir de 1; foi recebido o número 0.',
    ],
    [
      'market.adjust-stock',
      { itemRef: 'a', observedQuantity: -1 },
      'O campo "observedQuantity" deve ser um número inteiro a partir de 0; foi recebido o número -1.',
    ],
    [
      'transaction.get',
      { transactionId: 2 ** 53 },
      'O campo "transactionId" deve ser um número inteiro até 9007199254740991; foi recebido o número 9007199254740992.',
    ],
    [
      'market.eligibility',
      { characterRef: '..' },
      'O campo "characterRef" deve ser um identificador diferente de "." e ".."; foi recebido o texto "..".',
    ],
    [
      'transaction.delivery-failure',
      { ...failure, reason: 'OTHER' },
      'O campo "reason" deve ser "OUT_OF_STOCK" ou "TEMPORARY"; foi recebido o texto "OTHER".',
    ],
    [
      'transaction.delivery-failure',
      { transactionId: 7, observedQuantity: 0 },
      'O campo "reason" é obrigatório: envie "OUT_OF_STOCK" ou "TEMPORARY".',
    ],
    [
      'market.register',
      { ...listing, attributes: '' },
      'O campo "attributes" deve ser um texto de 1 a 255 caracteres; foi recebido um texto vazio.',
    ],
    [
      'market.register',
      { ...listing, attributes: '🗡'.repeat(256) },
      'O campo "attributes" deve ser um texto de 1 a 255 caracteres; foi recebido um texto de 256 caracteres.',
    ],
    ['webhook.verify', { signature: 'a..b', body: 7 }, 'O campo "body" deve ser um texto; foi recebido o número 7.'],
  ]
  for (const [name, input, words] of dialogue) expect(said(name, input), `${name} ${JSON.stringify(input)}`).toBe(words)
})

test('whatever is wrong with whichever field, the message names it and leaves no word of English or of the code', () => {
  const inputs: Partial<Record<OperationName, Record<string, unknown>>> = {
    'character.link': { characterRef: 'Zé', characterName: 'José' },
    'market.register': listing,
    'market.adjust-stock': { itemRef: 'a', observedQuantity: 1 },
    'transaction.create': { itemRef: 'a', quantity: 1, buyerCharacterRef: 'b' },
    'transaction.delivery-failure': { ...failure, detail: 'livre' },
    'webhook.verify': { signature: 'a..b', body: '{}', bodyBase64: 'e30=' },
  }
  const wrongs = [undefined, null, '', 0, -1, 1.5, 2 ** 53, true, [], {}, 'x'.repeat(300), '..', Number.NaN]
  const form = /^O campo "(\w+)" (é obrigatório: envie .+|deve ser .+; foi recebid[oa] .+)\.$/
  for (const [name, input] of Object.entries(inputs)) {
    for (const field of Object.keys(input)) {
      for (const wrong of wrongs) {
        const words = said(name as OperationName, { ...input, [field]: wrong })
        if (words === 'nothing is wrong') continue
        expect(words).toMatch(form)
        expect(form.exec(words)?.[1]).toBe(field)
        expect(words).not.toMatch(/undefined|NaN\b.*NaN|\[object|expected|invalid|string\b|number\b|int\b/)
        expect(words.length).toBeLessThan(200)
      }
    }
  }
})

test('each fault of a JSON text is described in Portuguese, with the mend', () => {
  const max = '9007199254740991'
  const dialogue: [string, string][] = [
    ['{', 'O JSON é inválido na linha 1, coluna 2: confira aspas, vírgulas e chaves.'],
    ['{\n  "a": 1,\n}', 'O JSON é inválido na linha 3, coluna 1: confira aspas, vírgulas e chaves.'],
    ['[]', 'O JSON deve ser um objeto: comece com { e termine com }.'],
    ['{"itemRef":1,"itemRef":2}', 'O campo "itemRef" aparece mais de uma vez: envie cada campo uma só vez.'],
    [
      '{"a":"\\ud800"}',
      'O texto na linha 1, coluna 6 contém um caractere Unicode incompleto: envie-o em UTF-8 válido.',
    ],
    [
      '{"a":9007199254740993}',
      `O número 9007199254740993 não pode ser lido com exatidão: use um inteiro entre -${max} e ${max}.`,
    ],
    [
      `{"a":${'['.repeat(99)}${']'.repeat(99)}}`,
      `O JSON tem níveis demais: envie no máximo ${limits.jsonDepthMax} objetos ou listas aninhados.`,
    ],
  ]
  for (const [text, words] of dialogue) expect(saidOf(text)).toBe(words)
})

test('a list in place of a whole input is named as such', () => {
  expect(said('market.withdraw', [])).toBe('A entrada deve ser um objeto; foi recebida uma lista.')
})

test('each step at which an envelope fails is described in Portuguese', () => {
  const texts = envelopeSteps.map((step) => envelopeErrorInWords({ step }))
  expect(new Set(texts).size).toBe(envelopeSteps.length)
  for (const text of texts) {
    expect(text).toContain('assinatura')
    expect(text).not.toMatch(/\b(?:the|expected|after|key|header|bytes than)\b/)
  }
})

test('a signature of another key and a body that was altered have different texts', () => {
  const [otherKey, otherBytes] = (['other-key', 'other-bytes'] as const).map((cause) =>
    envelopeErrorInWords({ step: 'signature', cause }),
  )
  expect(otherKey).toMatch(/chave privada/)
  expect(otherBytes).toMatch(/outros bytes/)
})

test('a number of a thousand digits is not told whole', () => {
  expect(saidOf(`{"a":${'9'.repeat(1_000)}}`).length).toBeLessThan(200)
})

test('a name of a thousand characters is not told whole', () => {
  const name = 'n'.repeat(1_000)
  expect(saidOf(`{"${name}":1,"${name}":2}`).length).toBeLessThan(200)
})
