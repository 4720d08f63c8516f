import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..', '..')

/** Lints files by this repository's rules. @returns `path:line` of each error, sorted. */
function lint(files: Readonly<Record<string, string>>): string[] {
  const dir = mkdtempSync(join(tmpdir(), 'house-lint-'))
  const create = (path: string): string => {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    return join(dir, path)
  }
  try {
    for (const path of ['biome.json', 'test/house/pure.grit']) copyFileSync(join(root, path), create(path))
    for (const [path, text] of Object.entries(files)) writeFileSync(create(path), text)
    const biome = join(root, 'node_modules', '.bin', 'biome')
    const args = ['lint', '--reporter=github', '--max-diagnostics=none', ...Object.keys(files)]
    const { stdout } = spawnSync(biome, args, { cwd: dir, encoding: 'utf8' })
    const errors = [...stdout.matchAll(/^::error .*?file=([^,]+),line=(\d+)/gm)]
    return errors.map(([, path = '', line]) => `${path.slice(dir.length + 1)}:${line}`).sort()
  } finally {
    rmSync(dir, { recursive: true })
  }
}

test('files that import each other are refused', () => {
  const files = {
    'agent/a.ts': "import { b } from './b.ts'\n\nexport const a = () => b\n",
    'agent/b.ts': "import { a } from './a.ts'\n\nexport const b = () => a\n",
  }
  expect(lint(files)).toEqual(['agent/a.ts:1', 'agent/b.ts:1'])
})

test('contract/ and files below an edge may use no clock, no randomness and nothing outside; other files may', () => {
  const impure = [
    'Date.now()',
    'new Date()',
    'new Date',
    'Date()',
    'Math.random()',
    'AbortSignal.timeout(1)',
    'performance.now()',
    'process.env',
    "fetch('https://x')",
    'setTimeout(() => 1, 1)',
    'crypto.randomUUID()',
    'globalThis.Date',
    'console.log(1)',
  ]
  const pure = ['new Date(0)', "Date.parse('')", 'Math.max(1, 2)', '{ process: 1 }', '(fetch: number) => fetch']
  const text = [...impure, ...pure].map((code, n) => `export const value${n} = ${code}\n`).join('')
  for (const path of ['contract/a.ts', 'agent/spool/a.ts']) expect(lint({ [path]: text }).length).toBe(impure.length)
  expect(lint({ 'agent/a.ts': text })).toEqual([])
})
