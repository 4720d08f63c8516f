import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { CallAnswer } from '../../../agent/call/answer.ts'
import { readCall } from '../../../agent/call/call.ts'
import { answerFileText } from '../../../agent/spool/answer-file.ts'
import { until } from '../../../scripts/until.ts'
import { LiveClock } from '../fixtures/live-clock.ts'
import {
  claimOf,
  eligible,
  namesIn,
  newerFilesThan,
  purchase,
  secondAnswer,
  startTestSpool,
  type TestSpool,
} from '../fixtures/spool-fixture.ts'
import { openTestJournal } from '../fixtures/test-journal.ts'

const windowMs = 600_000
const hourMs = 3_600_000
const withdrawal = { action: 'market.withdraw', itemRef: 'item-1' }

/** What the journal knows about a request when the agent starts. */
type Row = 'absent' | 'sending' | 'answered' | 'expired'
const storedAnswer: CallAnswer = { ok: true, dataText: '{"transactionId":41,"checkoutUrl":"stored"}' }

/** Makes a journal as a former agent left it, and returns its name. */
async function leaveJournal(stateDir: string, id: string, request: Record<string, unknown>, row: Row): Promise<string> {
  const clock = new LiveClock()
  if (row === 'expired') clock.wallOffsetMs = -hourMs
  mkdirSync(stateDir, { recursive: true })
  const journal = openTestJournal(stateDir, clock)
  const { action, ...input } = request
  const reading = readCall({ operation: action, input, id })
  if (!reading.ok) throw new Error(reading.messageText)
  const journalled = { id, fingerprint: reading.call.fingerprint ?? '', operationName: String(action) }
  if (row === 'sending') await journal.recordIntent(journalled)
  else if (row !== 'absent') await journal.recordAnswer(journalled, storedAnswer, windowMs)
  await journal.close()
  return journal.name
}

interface Left {
  readonly request: Record<string, unknown>
  readonly row: Row
  readonly owner: 'own' | 'another'
}

/** A spool in which a former agent left the claim of request `x`. */
async function leftClaim({ request, row, owner }: Left): Promise<TestSpool> {
  const spool = await startTestSpool({ start: 'later' })
  mkdirSync(spool.outbox, { recursive: true })
  mkdirSync(spool.inbox)
  const name = await leaveJournal(spool.stateDir, 'x', request, row)
  const claim = `x.json.claim-${owner === 'own' ? name : '0b1e55ed-0000-4000-8000-000000000000'}`
  writeFileSync(join(spool.outbox, claim), JSON.stringify(request))
  return spool
}

/** The answer to `x`, which is the only one, once nothing more is to come. */
async function onlyAnswer(spool: TestSpool): Promise<unknown> {
  await spool.start()
  const text = await spool.answerText('x')
  await spool.looked()
  await spool.stop()
  expect(namesIn(spool.outbox)).toEqual([])
  expect(namesIn(spool.inbox)).toEqual(['x.json'])
  expect(await spool.answerText('x')).toBe(text)
  // And the next start finds nothing more to say.
  const { length } = spool.platform.requests
  await spool.start()
  await spool.looked()
  await spool.stop()
  expect(namesIn(spool.inbox)).toEqual(['x.json'])
  expect(spool.platform.requests).toHaveLength(length)
  return JSON.parse(text)
}

const stored = { id: 'x', ok: true, transactionId: 41, checkoutUrl: 'stored' }
const inDoubt = {
  id: 'x',
  ok: false,
  message: expect.stringContaining('reiniciado'),
  status: 504,
  code: 'ANSWER_LOST',
  uncertain: true,
}
const bought = { id: 'x', ok: true, transactionId: 42, checkoutUrl: 'https://portal.example/c/42' }
const withdrawn = { id: 'x', ok: true }

for (const [what, left, answer, sent] of [
  // A purchase is a once call.
  ['a purchase of this journal that was answered', [purchase, 'answered', 'own'], stored, 0],
  ['a purchase of this journal that was about to leave', [purchase, 'sending', 'own'], inDoubt, 0],
  ['a purchase of this journal that never left', [purchase, 'absent', 'own'], bought, 1],
  ['a purchase of this journal whose answer is older than its window', [purchase, 'expired', 'own'], stored, 0],
  ['a purchase of another journal', [purchase, 'absent', 'another'], inDoubt, 0],
  ['a purchase of another journal that this one answered', [purchase, 'answered', 'another'], stored, 0],
  ['a purchase of another journal that this one sent', [purchase, 'sending', 'another'], inDoubt, 0],
  ['a purchase of another journal with an id used here last week', [purchase, 'expired', 'another'], inDoubt, 0],
  // A withdrawal is idempotent.
  ['a withdrawal of this journal that was answered', [withdrawal, 'answered', 'own'], stored, 0],
  ['a withdrawal of this journal that was not', [withdrawal, 'absent', 'own'], withdrawn, 1],
  ['a withdrawal of this journal with an old answer', [withdrawal, 'expired', 'own'], stored, 0],
  ['a withdrawal of another journal', [withdrawal, 'absent', 'another'], withdrawn, 1],
  ['a withdrawal of another journal with an old id', [withdrawal, 'expired', 'another'], withdrawn, 1],
] as const) {
  test(`the claim of ${what} gets its one answer and is sent ${sent === 0 ? 'no more' : 'once'}`, async () => {
    const [request, row, owner] = left
    await using spool = await leftClaim({ request, row, owner })
    expect(await onlyAnswer(spool)).toEqual(answer)
    expect(spool.platform.requests).toHaveLength(sent)
  })
}

test('a withdrawal that a former agent may have sent is in doubt when it is refused', async () => {
  await using spool = await leftClaim({ request: withdrawal, row: 'absent', owner: 'own' })
  spool.platform.reply = () => ({ status: 409, body: '{"message":"Não existe."}' })
  const refused = { id: 'x', ok: false, message: 'Não existe.', status: 409, uncertain: true }
  expect(await onlyAnswer(spool)).toEqual(refused)
})

const doneText = '{"id":"x","ok":true,"transactionId":40}\n'

for (const owner of ['own', 'another'] as const) {
  for (const row of ['absent', 'sending', 'answered', 'expired'] as const) {
    test(`an answer that was written is shown, whatever the journal knows: ${owner} claim, ${row}`, async () => {
      await using spool = await leftClaim({ request: purchase, row, owner })
      writeFileSync(join(spool.outbox, 'x.json.done'), doneText)
      await onlyAnswer(spool)
      expect(readFileSync(join(spool.inbox, 'x.json'), 'utf8')).toBe(doneText)
      expect(spool.platform.requests).toHaveLength(0)
    })
  }
}

test('an answer that a start shows is given to another file of its id, although its window has ended', async () => {
  await using spool = await leftClaim({ request: purchase, row: 'expired', owner: 'own' })
  writeFileSync(join(spool.outbox, 'x.json.done'), answerFileText('x', storedAnswer))
  writeFileSync(join(spool.outbox, 'x.json'), JSON.stringify(purchase))
  await spool.start()
  await until(() => namesIn(spool.inbox).length === 2)
  await secondAnswer(spool, 'x')
  expect(await spool.answer('x')).toEqual({ ...stored, replayed: true })
  await spool.stop()
  expect(spool.platform.requests).toHaveLength(0)
})

test('the window of an id ends although a start shows the answer of another call', async () => {
  await using spool = await leftClaim({ request: purchase, row: 'expired', owner: 'own' })
  writeFileSync(join(spool.outbox, 'x.json.done'), doneText)
  writeFileSync(join(spool.outbox, 'x.json'), JSON.stringify(purchase))
  await spool.start()
  await until(() => namesIn(spool.inbox).length === 2)
  await secondAnswer(spool, 'x')
  expect(await spool.answer('x')).toEqual(bought)
  await spool.stop()
})

test('an answer whose claim is gone already is shown', async () => {
  await using spool = await startTestSpool({ start: 'later' })
  mkdirSync(spool.outbox, { recursive: true })
  writeFileSync(join(spool.outbox, 'x.json.done'), doneText)
  await onlyAnswer(spool)
  expect(readFileSync(join(spool.inbox, 'x.json'), 'utf8')).toBe(doneText)
})

test('an answer that is there stays as it is', async () => {
  await using spool = await startTestSpool({ start: 'later' })
  mkdirSync(spool.inbox, { recursive: true })
  mkdirSync(spool.outbox)
  writeFileSync(join(spool.inbox, 'x.json'), doneText)
  await onlyAnswer(spool)
  expect(readFileSync(join(spool.inbox, 'x.json'), 'utf8')).toBe(doneText)
})

test('a refused file whose answer was written is kept as .rejected, an understood one that was refused goes', async () => {
  await using spool = await leftClaim({ request: purchase, row: 'absent', owner: 'own' })
  const refusal = (id: string) => `{"id":"${id}","ok":false,"message":"Nao.","status":400}\n`
  writeFileSync(join(spool.outbox, 'x.json.done'), refusal('x'))
  writeFileSync(join(spool.outbox, 'y.json.done'), refusal('y'))
  writeFileSync(join(spool.outbox, 'y.json.claim-gone'), '[]')
  await spool.start()
  await Promise.all([spool.answer('x'), spool.answer('y')])
  await spool.stop()
  expect(namesIn(spool.outbox)).toEqual(['y.json.rejected'])
  expect(namesIn(spool.inbox)).toEqual(['x.json', 'y.json'])
})

test('a claim that was being given its name back is one request', async () => {
  await using spool = await leftClaim({ request: withdrawal, row: 'absent', owner: 'own' })
  const [claim = ''] = namesIn(spool.outbox)
  linkSync(join(spool.outbox, claim), join(spool.outbox, 'x.json'))
  expect(await onlyAnswer(spool)).toEqual(withdrawn)
  expect(spool.platform.requests).toHaveLength(1)
})

test('an unread answer that was not set aside before the crash is, and no word is lost', async () => {
  await using spool = await leftClaim({ request: purchase, row: 'absent', owner: 'own' })
  writeFileSync(join(spool.inbox, 'x.json'), doneText)
  await spool.start()
  await until(() => JSON.parse(readFileSync(join(spool.inbox, 'x.json'), 'utf8')).transactionId === 42)
  expect(readFileSync(join(spool.inbox, 'x.json.unread'), 'utf8')).toBe(doneText)
  expect(namesIn(spool.inbox)).toEqual(['x.json', 'x.json.unread'])
})

test('a new request next to the claim of its id is answered after it', async () => {
  await using spool = await leftClaim({ request: purchase, row: 'sending', owner: 'own' })
  spool.put('x', eligible)
  await spool.start()
  await secondAnswer(spool, 'x')
  const first = JSON.parse(readFileSync(join(spool.inbox, 'x.json.unread'), 'utf8'))
  expect(first).toEqual(inDoubt)
  expect(await spool.take('x')).toMatchObject({ id: 'x', ok: false, status: 422 })
  expect(namesIn(spool.outbox)).toEqual([])
})

test('what a killed agent was writing goes: temporary files in outbox, inbox and root', async () => {
  await using spool = await startTestSpool({
    before: ({ root, outbox, inbox }) => {
      mkdirSync(outbox, { recursive: true })
      mkdirSync(inbox)
      for (const dir of [outbox, inbox, root]) writeFileSync(join(dir, `.${'0a'.repeat(16)}.tmp`), '{')
      writeFileSync(join(outbox, '.theirs.tmp'), '')
    },
  })
  await spool.looked()
  for (const dir of [spool.outbox, spool.inbox, spool.root]) {
    expect(existsSync(join(dir, `.${'0a'.repeat(16)}.tmp`))).toBe(false)
  }
  expect(namesIn(spool.outbox)).toEqual(['.theirs.tmp'])
})

test('claims are taken up in the order in which they were made, before anything new', async () => {
  await using spool = await startTestSpool({ start: 'later' })
  mkdirSync(spool.outbox, { recursive: true })
  const name = await leaveJournal(spool.stateDir, 'x', eligible, 'absent')
  const observing = (observedQuantity: number) =>
    JSON.stringify({ action: 'market.adjust-stock', itemRef: 'item-1', observedQuantity })
  spool.put('new', observing(100))
  for (let n = 0; n < 20; n++) {
    const claim = join(spool.outbox, `s-${20 - n}.json.claim-${name}`)
    writeFileSync(claim, observing(n))
    await newerFilesThan(claim)
  }
  await spool.start()
  await spool.answer('new')
  // Answers are written side by side, so the last call may be answered first.
  for (let n = 1; n <= 20; n++) await spool.answer(`s-${n}`)
  const observed = spool.platform.requests.map(({ body }) => JSON.parse(body).observedQuantity)
  expect(observed).toEqual([...Array.from({ length: 20 }, (_, n) => n), 100])
  expect(namesIn(spool.outbox).filter((file) => claimOf('.*').test(file))).toEqual([])
})

test('an entry that has the name of an agent’s file and is not a regular file is ignored, with one warning each', async () => {
  const odd = ['linked.json.claim-abc', `.${'0b'.repeat(16)}.tmp`, 'y.json.done', 'there.json.claim-abc']
  await using spool = await startTestSpool({
    before: ({ outbox, inbox }) => {
      mkdirSync(outbox, { recursive: true })
      mkdirSync(inbox)
      symlinkSync(join(outbox, 'nowhere'), join(outbox, 'linked.json.claim-abc'))
      symlinkSync(join(inbox, 'y.json'), join(outbox, 'there.json.claim-abc'))
      mkdirSync(join(outbox, `.${'0b'.repeat(16)}.tmp`))
      mkdirSync(join(outbox, 'y.json.done'))
      writeFileSync(join(inbox, 'y.json'), doneText)
    },
  })
  spool.put('ask-1', eligible)
  expect(await spool.take('ask-1')).toMatchObject({ ok: true })
  expect(readdirSync(spool.outbox).sort()).toEqual([...odd].sort())
  expect(readFileSync(join(spool.inbox, 'y.json'), 'utf8')).toBe(doneText)
  const warnings = spool
    .logText()
    .split('\n')
    .filter((line) => line.includes('ignored in the spool'))
    .map((line) => JSON.parse(line))
  expect(warnings.map(({ name }) => name).sort()).toEqual([...odd].sort())
  expect(warnings.every(({ why, cure }) => why === 'not-a-regular-file' && cure.length > 0)).toBe(true)
})

test('an answer that cannot be shown at the start ends it in words', async () => {
  await using spool = await startTestSpool({ start: 'later' })
  mkdirSync(spool.outbox, { recursive: true })
  mkdirSync(join(spool.inbox, 'x.json'), { recursive: true })
  writeFileSync(join(spool.outbox, 'x.json.done'), doneText)
  await expect(spool.start()).rejects.toThrow(/SERVICE_SPOOL_DIR: the answer x\.json cannot be shown .*\. Move away/)
  expect(readFileSync(join(spool.outbox, 'x.json.done'), 'utf8')).toBe(doneText)
})

test('of two claims of one name an answer that was written is that of the older, and the other is answered too', async () => {
  await using spool = await startTestSpool({ start: 'later' })
  mkdirSync(spool.outbox, { recursive: true })
  const name = await leaveJournal(spool.stateDir, 'x', withdrawal, 'absent')
  // The order in the directory is not that of the claims, whichever it is.
  const owners = [name, 'f-another', '0-another', 'a-another']
  for (const [n, owner] of owners.entries()) {
    const request = { action: 'market.eligibility', characterRef: `char-${n}` }
    const claim = join(spool.outbox, `x.json.claim-${owner}`)
    writeFileSync(claim, JSON.stringify(request))
    await newerFilesThan(claim)
  }
  writeFileSync(join(spool.outbox, 'x.json.done'), doneText)
  await spool.start()
  await until(() => namesIn(spool.inbox).length === 4 && namesIn(spool.outbox).length === 0)
  expect(readFileSync(join(spool.inbox, 'x.json.unread'), 'utf8')).toBe(doneText)
  expect(spool.platform.requests.map(({ path }) => path.split('/').at(-1))).toEqual(['char-1'])
})
