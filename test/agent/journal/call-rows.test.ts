import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CallRows } from '../../../agent/journal/call-rows.ts'
import { openDatabase } from '../../../agent/journal/open-database.ts'

const ids = ['a', 'b', 'c'] as const
const change = fc.record({
  id: fc.constantFrom(...ids),
  kind: fc.constantFrom('intent', 'answer', 'remove'),
  answer: fc.string(),
})
const transaction = fc.record({
  changes: fc.uniqueArray(change, { selector: ({ id }) => id, minLength: 1 }),
  end: fc.constantFrom('committed', 'undone', 'committed and opened anew'),
})

test('what stands of an id is what was committed last, whatever was undone and however often it was opened', () => {
  fc.assert(
    fc.property(fc.array(transaction, { maxLength: 12 }), (transactions) => {
      const dir = mkdtempSync(join(tmpdir(), 'market-agent-rows-'))
      let db = openDatabase(dir, () => 'name')
      try {
        let rows = new CallRows(db)
        const model = new Map<string, string | null>()
        for (const { changes, end } of transactions) {
          db.exec('BEGIN')
          const settle = changes.map(({ id, kind, answer }) => {
            if (kind === 'remove') {
              rows.remove(id)
              return () => {
                rows.forget(id)
                model.delete(id)
              }
            }
            const text = kind === 'intent' ? null : answer
            const call = { id, fingerprint: `of ${id}`, operationName: 'o' }
            const placed = rows.write(call, text, text === null ? null : { ends_at_ms: 1, ends_at_wall_ms: 2 })
            return () => {
              rows.remember(placed)
              model.set(id, text)
            }
          })
          db.exec(end === 'undone' ? 'ROLLBACK' : 'COMMIT')
          if (end !== 'undone') for (const act of settle) act()
          if (end === 'committed and opened anew') {
            db.close()
            db = openDatabase(dir, () => 'never')
            rows = new CallRows(db)
          }
          for (const id of ids) {
            const answer = model.get(id)
            expect(rows.read(id)?.answer).toEqual(answer)
            if (answer !== undefined) expect(rows.read(id)?.fingerprint).toBe(`of ${id}`)
          }
          expect(db.prepare('SELECT count(*) AS n FROM call').get()?.['n']).toBe(model.size)
        }
      } finally {
        db.close()
        rmSync(dir, { recursive: true })
      }
    }),
    { numRuns: 40 },
  )
})

test('what ended is removed, but not an id that was written again meanwhile', () => {
  const dir = mkdtempSync(join(tmpdir(), 'market-agent-rows-'))
  const db = openDatabase(dir, () => 'name')
  try {
    const rows = new CallRows(db)
    const write = (id: string, answer: string) => {
      const placed = rows.write({ id, fingerprint: 'f', operationName: 'o' }, answer, null)
      rows.remember(placed)
      return placed
    }
    const ended = [write('a', 'old'), write('b', 'old')]
    write('b', 'new')
    rows.removeAll(ended)
    rows.forgetAll(ended)
    expect(rows.read('a')).toBeUndefined()
    expect(rows.read('b')?.answer).toBe('new')
  } finally {
    db.close()
    rmSync(dir, { recursive: true })
  }
})
