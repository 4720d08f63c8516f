import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, renameSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { asciiLine } from '../../../agent/spool/answer-file.ts'
import { until } from '../../../scripts/until.ts'
import { eligible, namesIn, purchase, putRequest, registration, startTestSpool } from '../fixtures/spool-fixture.ts'

test("a success has id, ok and the platform's data at the same level", async () => {
  await using spool = await startTestSpool()
  spool.put('ask-1', { id: 'ask-1', ...eligible })
  expect(await spool.answer('ask-1')).toEqual({
    id: 'ask-1',
    ok: true,
    allowed: true,
    blocker: null,
    message: 'ok',
    linked: true,
    banned: false,
    selling: { allowed: true, blockers: [], message: 'ok', action: null },
  })
})

test("a listing's own id appears as listingId, the request's id stays", async () => {
  await using spool = await startTestSpool()
  spool.put('sell-1', registration)
  expect(await spool.answer('sell-1')).toMatchObject({ id: 'sell-1', ok: true, listingId: 7, itemRef: 'item-1' })
})

test('a success without data is id and ok', async () => {
  await using spool = await startTestSpool()
  spool.put('stock-1', { action: 'market.adjust-stock', itemRef: 'item-1', observedQuantity: 2 })
  expect(await spool.answer('stock-1')).toEqual({ id: 'stock-1', ok: true })
  expect(spool.platform.stock.get('item-1')).toBe(2)
})

test('a refusal has the message unchanged and the status', async () => {
  await using spool = await startTestSpool()
  spool.platform.reply = () => ({ status: 409, body: '{"message":"O itemRef já foi usado — não há volta. 🗡"}' })
  spool.put('sell-1', registration)
  expect(await spool.answer('sell-1')).toEqual({
    id: 'sell-1',
    ok: false,
    message: 'O itemRef já foi usado — não há volta. 🗡',
    status: 409,
  })
})

test('a purchase that may have been made says so', async () => {
  await using spool = await startTestSpool()
  spool.platform.reply = () => ({ status: 500, body: '{"message":"Erro."}' })
  spool.put('buy-1', purchase)
  expect(await spool.answer('buy-1')).toEqual({
    id: 'buy-1',
    ok: false,
    message: 'Erro.',
    status: 500,
    uncertain: true,
  })
})

test('an answer is one line without blanks, whatever the layout of the platform is', async () => {
  await using spool = await startTestSpool()
  spool.platform.reply = () => ({
    status: 200,
    body: '{\n  "data" : {\r\n    "checkoutUrl" : "https://x/a b\\" : \\n",\n    "parts" : {\n\t"price" : 1.50\n    }\n  }\n}\n',
  })
  spool.put('buy-1', purchase)
  const expected = '{"id":"buy-1","ok":true,"checkoutUrl":"https://x/a b\\" : \\n","parts":{"price":1.50}}\n'
  expect(await spool.answerText('buy-1')).toBe(expected)
})

test('a text of any length becomes one line, however many of its characters are escaped', () => {
  const text = JSON.stringify({ detail: '\n'.repeat(5_000_000) })
  expect(asciiLine(` ${text}\n`)).toBe(`${text}\n`)
})

test('answers are ASCII only, and the numbers of the platform keep their digits', async () => {
  await using spool = await startTestSpool()
  spool.platform.reply = () => ({
    status: 200,
    body: '{"data":{"checkoutUrl":"https://x/ção/🗡","price":1.50,"big":9007199254740993,"line":"a\u2028b\u007f"}}',
  })
  spool.put('buy-1', purchase)
  const text = await spool.answerText('buy-1')
  expect(text).toMatch(/^[\x20-\x7e]+\n$/)
  expect(text).toContain('"price":1.50,"big":9007199254740993')
  expect(JSON.parse(text)).toMatchObject({ checkoutUrl: 'https://x/ção/🗡', line: 'a\u2028b\u007f' })
})

for (const [what, inside] of [
  ['another', 'ask-2'],
  ['a number', 1],
  ['null', null],
] as const) {
  test(`an id inside that is ${what} than the file's name is refused`, async () => {
    await using spool = await startTestSpool()
    spool.put('ask-1', { id: inside, ...eligible })
    const message = 'O campo "id" deve ser igual ao nome do arquivo ("ask-1"), ou faltar.'
    expect(await spool.answer('ask-1')).toEqual({ id: 'ask-1', ok: false, message, status: 400, code: 'ID_DIFFERS' })
    expect(spool.platform.requests).toHaveLength(0)
  })
}

for (const [what, request, message, code] of [
  ['without an action', { characterRef: 'char-1' }, /"action" é obrigatório/, 'OPERATION_MISSING'],
  ['of an unknown action', { action: 'market.steal' }, /"market\.steal" não existe/, 'OPERATION_UNKNOWN'],
  [
    'with a field of the wrong type',
    { action: 'transaction.get', transactionId: '42' },
    /"transactionId" deve ser/,
    'INPUT_INVALID',
  ],
  ['without a required field', { action: 'market.eligibility' }, /"characterRef" é obrigatório/, 'INPUT_INVALID'],
  [
    'with a name twice',
    '{"action":"transaction.get","transactionId":1,"transactionId":2}',
    /mais de uma vez/,
    'JSON_INVALID',
  ],
  [
    'with an inexact number',
    '{"action":"transaction.get","transactionId":9007199254740993}',
    /com exatidão/,
    'JSON_INVALID',
  ],
  ['that is a list', '[]', /deve ser um objeto/, 'JSON_INVALID'],
] as const) {
  test(`a request ${what} is refused in words, and nothing is sent`, async () => {
    await using spool = await startTestSpool()
    spool.put('bad-1', request)
    const answer = await spool.answer('bad-1')
    expect(answer).toEqual({ id: 'bad-1', ok: false, message: expect.stringMatching(message), status: 400, code })
    expect(spool.platform.requests).toHaveLength(0)
  })
}

test('a request whose file is at fault stays as .rejected, one that was understood goes', async () => {
  await using spool = await startTestSpool()
  spool.put('bad-file', '[]')
  spool.put('bad-field', { action: 'market.eligibility' })
  await Promise.all([spool.answer('bad-file'), spool.answer('bad-field')])
  expect(namesIn(spool.outbox)).toEqual(['bad-file.json.rejected'])
})

test('a refused file leaves one log line, with its name, status and reason', async () => {
  await using spool = await startTestSpool()
  spool.put('bad-file', '[]')
  spool.put('bad-action', { action: 'market.steal' })
  spool.put('bad-field', { action: 'market.eligibility' })
  await Promise.all(['bad-file', 'bad-action', 'bad-field'].map((id) => spool.answer(id)))
  const lines = spool
    .logText()
    .split('\n')
    .filter((line) => line.includes('request file refused'))
    .map((line) => JSON.parse(line))
  expect(lines).toHaveLength(2)
  expect(lines).toContainEqual(
    expect.objectContaining({ level: 'warn', name: 'bad-file.json', status: 400, reason: 'not-an-object' }),
  )
  expect(lines).toContainEqual(expect.objectContaining({ name: 'bad-action.json', reason: 'action-unknown' }))
})

test('names that were probably meant for requests are reported once, with the cure', async () => {
  await using spool = await startTestSpool()
  for (const name of ['meu pedido.json', 'x.JSON', 'x.txt']) writeFileSync(join(spool.outbox, name), '{}')
  const lines = () =>
    spool
      .logText()
      .split('\n')
      .filter((line) => line.includes('not-a-request-name'))
      .map((line) => JSON.parse(line))
  await until(() => {
    spool.clock.advance(2_000)
    return lines().length === 3
  })
  spool.clock.advance(10_000)
  await spool.looked()
  expect(
    lines()
      .map(({ name }) => name)
      .sort(),
  ).toEqual(['meu pedido.json', 'x.JSON', 'x.txt'])
  expect(lines()[0]).toMatchObject({ level: 'warn', cure: expect.stringMatching(/^call a request <id>\.json/) })
})

test('65,536 bytes pass, and one more is refused', async () => {
  await using spool = await startTestSpool()
  const padded = (bytes: number) => {
    const text = JSON.stringify({ ...eligible, note: '' })
    return text.replace('"note":""', `"note":"${'x'.repeat(bytes - text.length)}"`)
  }
  spool.put('just', padded(65_536))
  spool.put('over', padded(65_537))
  expect(await spool.answer('just')).toMatchObject({ ok: true })
  const refused = {
    id: 'over',
    ok: false,
    message: 'O corpo passa de 65536 bytes.',
    status: 400,
    code: 'FILE_TOO_LARGE',
  }
  expect(await spool.answer('over')).toEqual(refused)
})

test('a file of 5 GB is refused without being read', async () => {
  await using spool = await startTestSpool()
  const readBefore = process.resourceUsage().maxRSS
  writeFileSync(join(spool.root, 'huge'), '{')
  truncateSync(join(spool.root, 'huge'), 5 * 1024 ** 3)
  renameSync(join(spool.root, 'huge'), join(spool.outbox, 'huge.json'))
  expect(await spool.answer('huge')).toMatchObject({
    ok: false,
    message: 'O corpo passa de 65536 bytes.',
    code: 'FILE_TOO_LARGE',
  })
  expect(process.resourceUsage().maxRSS - readBefore).toBeLessThan(512 * 1024)
})

test('a UTF-8 byte order mark is accepted', async () => {
  await using spool = await startTestSpool()
  spool.put('bom', Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(JSON.stringify(eligible))]))
  expect(await spool.answer('bom')).toMatchObject({ id: 'bom', ok: true })
})

const utf16le = Buffer.from(JSON.stringify(eligible), 'utf16le')
for (const [what, bytes, message] of [
  ['UTF-16 LE with a mark', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16le]), /UTF-16: grave o texto em UTF-8/],
  ['UTF-16 LE', utf16le, /UTF-16: grave o texto em UTF-8/],
  ['UTF-16 BE with a mark', Buffer.concat([Buffer.from([0xfe, 0xff]), swapped(utf16le)]), /UTF-16: grave o texto/],
  ['UTF-16 BE', swapped(utf16le), /UTF-16: grave o texto em UTF-8/],
  ['Latin-1', Buffer.from(JSON.stringify({ ...eligible, note: 'atenção' }), 'latin1'), /não está em UTF-8/],
] as const) {
  test(`a file in ${what} is refused by name`, async () => {
    await using spool = await startTestSpool()
    spool.put('text', bytes)
    await until(() => !existsSync(join(spool.outbox, 'text.json')))
    spool.clock.advance(1_900)
    spool.clock.advance(400)
    const answer = await spool.answer('text')
    const code = what === 'Latin-1' ? 'BODY_NOT_UTF8' : 'FILE_UTF16'
    expect(answer).toEqual({ id: 'text', ok: false, message: expect.stringMatching(message), status: 400, code })
    expect(namesIn(spool.outbox)).toEqual(['text.json.rejected'])
  })
}

for (const [what, bytes, message] of [
  ['zeros', Buffer.alloc(64), /O JSON é inválido/],
  ['a beginning and zeros', Buffer.concat([Buffer.from('{'), Buffer.alloc(64)]), /O arquivo está incompleto/],
] as const) {
  test(`a file of ${what} is not called UTF-16`, async () => {
    await using spool = await startTestSpool()
    spool.put('text', bytes)
    await until(() => !existsSync(join(spool.outbox, 'text.json')))
    await spool.looked()
    spool.clock.advance(2_000)
    expect(await spool.answer('text')).toMatchObject({ status: 400, message: expect.stringMatching(message) })
  })
}

function swapped(bytes: Buffer): Buffer {
  return Buffer.from(bytes).swap16()
}

const misleading = [
  'two words.json',
  '..json',
  '.hidden.json',
  'CON.json',
  'nul.json',
  'com1.anything.json',
  '-dash.json',
  'ção.json',
  'a.JSON',
  'a.json.bak',
  'a.txt',
  `${'n'.repeat(129)}.json`,
]

test('names that are not a request are ignored, and the rest is answered', async () => {
  const text = JSON.stringify(eligible)
  await using spool = await startTestSpool({
    start: 'later',
    before: ({ outbox }) => {
      mkdirSync(outbox, { recursive: true })
      for (const name of misleading) writeFileSync(join(outbox, name), text)
    },
  })
  putRequest(spool.outbox, 'real', eligible)
  putRequest(spool.outbox, 'n'.repeat(128), eligible)
  putRequest(spool.outbox, '0._-', eligible)
  await spool.start()
  expect(await spool.answer('real')).toMatchObject({ ok: true })
  expect(await spool.answer('n'.repeat(128))).toMatchObject({ ok: true })
  expect(await spool.answer('0._-')).toMatchObject({ ok: true })
  await spool.stop()
  expect(namesIn(spool.outbox)).toEqual([...misleading].sort())
  expect(spool.platform.requests).toHaveLength(3)
})

test('each device name gives one warning', async () => {
  await using spool = await startTestSpool()
  writeFileSync(join(spool.outbox, 'CON.json'), '{}')
  for (const round of [1, 2, 3]) {
    spool.put(`ask-${round}`, eligible)
    await spool.answer(`ask-${round}`)
  }
  expect(spool.logText().match(/"name":"CON\.json"/g)).toHaveLength(1)
})

test('a directory, a symbolic link and four pipes with the names of requests are ignored, and the rest is answered', async () => {
  await using spool = await startTestSpool()
  const pipes = ['p1', 'p2', 'p3', 'p4'].map((name) => join(spool.outbox, `${name}.json`))
  mkdirSync(join(spool.outbox, 'dir.json'))
  const secret = join(spool.root, 'elsewhere')
  writeFileSync(secret, JSON.stringify(eligible))
  symlinkSync(secret, join(spool.outbox, 'link.json'))
  execFileSync('mkfifo', pipes)
  for (const n of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) spool.put(`ask-${n}`, eligible)
  for (const n of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) expect(await spool.take(`ask-${n}`)).toMatchObject({ ok: true })
  expect(namesIn(spool.inbox)).toEqual([])
  expect(namesIn(spool.outbox)).toEqual(['dir.json', 'link.json', 'p1.json', 'p2.json', 'p3.json', 'p4.json'])
  expect(pipes.every((pipe) => lstatSync(pipe).isFIFO())).toBe(true)
})
