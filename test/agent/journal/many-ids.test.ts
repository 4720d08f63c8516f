import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { TestClock } from '../fixtures/test-clock.ts'
import { testStateDir } from '../fixtures/test-journal.ts'

/** Bytes that this process has read so far. */
const bytesRead = () => Number(/^rchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1])

test.skipIf(process.platform !== 'linux')('a start reads a small part of a journal with 100,000 ids', async () => {
  using state = testStateDir()
  const clock = new TestClock()
  await state.open(clock).close()
  const path = join(state.dir, 'journal.db')
  {
    using db = new DatabaseSync(path)
    const insert = db.prepare('INSERT INTO call VALUES (?, ?, ?, ?, ?)')
    const answer = JSON.stringify({ ok: true, dataText: JSON.stringify('x'.repeat(200)) })
    const endsAtMs = clock.wallMs() + 600_000
    db.exec('BEGIN')
    for (let n = 0; n < 100_000; n++) insert.run(`id-${n}`, 'f'.repeat(43), 'market.adjust-stock', answer, endsAtMs)
    insert.run('under-way', 'f', 'transaction.create', null, null)
    db.exec('COMMIT')
  }
  const before = bytesRead()
  await using journal = state.open(clock)
  expect(bytesRead() - before).toBeLessThan(statSync(path).size / 20)
  expect(await journal.find('id-99999')).toMatchObject({ answer: { ok: true } })
  expect(await journal.find('under-way')).toMatchObject({ answer: { uncertain: true } })
})
