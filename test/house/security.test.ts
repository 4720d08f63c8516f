import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..', '..')

/** Each test file that a page names, with the promises that follow it: `FILE`: "PROMISE", "PROMISE". */
function promisesIn(page: string): { file: string; promise: string }[] {
  const named = [...page.matchAll(/`(test\/[\w./-]+\.test\.ts)`: ((?:"[^"]+"(?:, )?)+)/g)]
  return named.flatMap(([, file = '', list = '']) =>
    [...list.matchAll(/"([^"]+)"/g)].map(([, promise = '']) => ({ file, promise })),
  )
}

/** Promises that no test of the named file makes. */
function unprovenIn(page: string): string[] {
  const textOf = (file: string) => (existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : '')
  return promisesIn(page)
    .filter(({ file, promise }) => !textOf(file).includes(promise))
    .map(({ file, promise }) => `${file}: ${promise}`)
}

test('each defence in SECURITY.md names a test that exists', () => {
  const page = readFileSync(join(root, 'SECURITY.md'), 'utf8')
  const rows = page.split('\n').filter((line) => line.startsWith('| ') && line.includes('`test/'))
  expect(rows.length).toBeGreaterThan(15)
  expect(rows.filter((row) => promisesIn(row).length === 0)).toEqual([])
  expect(unprovenIn(page)).toEqual([])
})

test('a defence without its test is found', () => {
  const gone = ['no test', 'has this title'].join(' ')
  expect(unprovenIn(`\`test/house/security.test.ts\`: "${gone}"`)).toEqual([`test/house/security.test.ts: ${gone}`])
  expect(unprovenIn('`test/gone.test.ts`: "a promise"')).toEqual(['test/gone.test.ts: a promise'])
})
