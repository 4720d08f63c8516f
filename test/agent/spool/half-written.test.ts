import { closeSync, existsSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { until } from '../../../scripts/until.ts'
import { claimOf, eligible, namesIn, secondAnswer, startTestSpool, type TestSpool } from '../fixtures/spool-fixture.ts'

const text = JSON.stringify(eligible)
const isClaimed = (spool: TestSpool, id: string) => namesIn(spool.outbox).some((name) => claimOf(id).test(name))

/** A game server that opens the file under its final name and has not finished it yet. */
function beginWriting(spool: TestSpool, id: string): number {
  const file = openSync(join(spool.outbox, `${id}.json`), 'w')
  writeSync(file, text.slice(0, 10))
  return file
}

test('a writer that takes a second to finish its file is waited for', async () => {
  await using spool = await startTestSpool()
  const file = openSync(join(spool.outbox, 'slow.json'), 'w')
  for (let at = 0; at < text.length; at += Math.ceil(text.length / 5)) {
    writeSync(file, text.slice(at, at + Math.ceil(text.length / 5)))
    // The writer's pace, not a wait for anything.
    await pause(200)
  }
  closeSync(file)
  expect(await spool.answer('slow')).toMatchObject({ id: 'slow', ok: true })
  expect(namesIn(spool.outbox)).toEqual([])
})

test('a file that still grows is waited for, however long that takes', async () => {
  await using spool = await startTestSpool()
  const file = openSync(join(spool.outbox, 'slow.json'), 'w')
  for (let at = 0; at < text.length - 1; at += 10) {
    writeSync(file, text.slice(at, Math.min(at + 10, text.length - 1)))
    await spool.looked()
    spool.clock.advance(1_500)
  }
  expect(namesIn(spool.inbox)).toEqual([])
  writeSync(file, text.slice(-1))
  closeSync(file)
  expect(await spool.answer('slow')).toMatchObject({ id: 'slow', ok: true })
})

test('files that are still being written use none of the 8 slots', async () => {
  await using spool = await startTestSpool()
  const files = Array.from({ length: 12 }, (_, n) => beginWriting(spool, `slow-${n}`))
  await until(() => files.every((_, n) => isClaimed(spool, `slow-${n}`)))
  for (let n = 0; n < 12; n++) spool.put(`ask-${n}`, eligible)
  for (let n = 0; n < 12; n++) expect(await spool.take(`ask-${n}`)).toMatchObject({ ok: true })
  expect(namesIn(spool.outbox)).toHaveLength(12)
  for (const file of files) {
    writeSync(file, text.slice(10))
    closeSync(file)
  }
  for (let n = 0; n < 12; n++) expect(await spool.take(`slow-${n}`)).toMatchObject({ ok: true })
})

for (const [what, content, quietMs, message] of [
  ['is not JSON', "{'action': 'market.eligibility'}", 2_000, /confira aspas, vírgulas e chaves/],
  ['is half-written', '{"action":', 2_000, /está incompleto: .* outro nome, .* "\.broken\.tmp", .* renomeie para/],
  ['is cut off in a text', '{"action":"market.elig\\', 2_000, /está incompleto: .* gravado já com o nome final/],
  ['is empty', '', 10_000, /está incompleto: .* gravado já com o nome final/],
] as const) {
  test(`a file that ${what} is refused once it is quiet for ${quietMs / 1000} s, not before, and kept as .rejected`, async () => {
    await using spool = await startTestSpool()
    writeFileSync(join(spool.outbox, 'broken.json'), content)
    await until(() => isClaimed(spool, 'broken'))
    await spool.looked()
    spool.clock.advance(quietMs - 1_000)
    await spool.looked()
    expect(isClaimed(spool, 'broken')).toBe(true)
    spool.clock.advance(1_000)
    const answer = await spool.take('broken')
    const code = what === 'is not JSON' ? 'JSON_INVALID' : 'FILE_HALF_WRITTEN'
    expect(answer).toEqual({ id: 'broken', ok: false, message: expect.stringMatching(message), status: 400, code })
    expect(namesIn(spool.outbox)).toEqual(['broken.json.rejected'])
    expect(readFileSync(join(spool.outbox, 'broken.json.rejected'), 'utf8')).toBe(content)
    spool.clock.advance(60_000)
    await spool.looked()
    expect(namesIn(spool.inbox)).toEqual([])
  })
}

test('a stopped agent gives an unfinished file its name back, and the next one answers it', async () => {
  await using spool = await startTestSpool()
  const file = beginWriting(spool, 'slow')
  await until(() => isClaimed(spool, 'slow'))
  await spool.stop()
  expect(namesIn(spool.outbox)).toEqual(['slow.json'])
  writeSync(file, text.slice(10))
  closeSync(file)
  await spool.start()
  expect(await spool.take('slow')).toMatchObject({ ok: true })
})

test('giving the name back replaces no newer request of the same name', async () => {
  await using spool = await startTestSpool()
  closeSync(beginWriting(spool, 'twice'))
  await until(() => isClaimed(spool, 'twice'))
  await spool.looked()
  spool.put('twice', eligible)
  const logFile = spool.agent.logFile
  await spool.stop()
  expect(readFileSync(logFile, 'utf8')).not.toContain('EEXIST')
  expect(namesIn(spool.outbox)).toEqual(['twice.json', expect.stringMatching(claimOf('twice'))])
  expect(readFileSync(join(spool.outbox, 'twice.json'), 'utf8')).toBe(text)
  await spool.start()
  await spool.looked()
  spool.clock.advance(2_000)
  await secondAnswer(spool, 'twice')
  const refused = readFileSync(join(spool.inbox, 'twice.json.unread'), 'utf8')
  expect(JSON.parse(refused)).toMatchObject({ ok: false, status: 400 })
  expect(await spool.take('twice')).toMatchObject({ ok: true })
  expect(existsSync(join(spool.outbox, 'twice.json.rejected'))).toBe(true)
})
