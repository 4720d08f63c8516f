import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { refusals } from '../../agent/call/messages.ts'

const docs = join(import.meta.dirname, '..', '..', 'docs')

/** The first two cells of each row that begins with a code. */
function codesIn(page: string): readonly (readonly [code: string, status: string])[] {
  const rows = readFileSync(join(docs, page), 'utf8').matchAll(/^\| `([A-Z0-9_]+)` \| ([^|]+) \|/gm)
  return [...rows].map(([, code = '', status = '']) => [code, status])
}

for (const page of ['en/error-codes.md', 'pt-BR/error-codes.md']) {
  test(`${page} has every code of the agent with its status, in the order of the catalogue, and no other`, () => {
    const codes = codesIn(page)
    expect(codes.map(([code]) => code)).toEqual(Object.keys(refusals))
    const stated = codes.filter(([, status]) => /^\d+$/.test(status))
    for (const [code, status] of stated)
      expect([code, Number(status)]).toEqual([code, refusals[code as never]['status']])
    // Their status is not always the same.
    expect(codes.filter((row) => !stated.includes(row)).map(([code]) => code)).toEqual([
      'NO_REASON_GIVEN',
      'REQUEST_MALFORMED',
    ])
  })
}

test('every code has a form that programs can rely on', () => {
  for (const code of Object.keys(refusals)) expect(code).toMatch(/^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/)
})
