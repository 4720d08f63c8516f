import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { refusedJson } from './make-refused.ts'
import { accepted, refused } from './vectors.ts'

const folder = import.meta.dirname
const has = (...commands: string[]) =>
  commands.every((command) => spawnSync('bash', ['-c', `command -v ${command}`]).status === 0)

test.skipIf(!has('openssl', 'seq', 'tr'))('openssl makes the accepted envelopes again, byte for byte', () => {
  const work = mkdtempSync(join(tmpdir(), 'vectors-'))
  try {
    execFileSync('bash', [join(folder, 'make-vectors.sh'), join(work, 'accepted.json')])
    const made = readFileSync(join(work, 'accepted.json'), 'utf8')
    expect(made).toBe(readFileSync(join(folder, 'accepted.json'), 'utf8'))
  } finally {
    rmSync(work, { recursive: true })
  }
})

test('node:crypto makes the refused envelopes again, byte for byte', () => {
  expect(refusedJson()).toBe(readFileSync(join(folder, 'refused.json'), 'utf8'))
})

test('each envelope of the files has a name of its own, and there are enough of them', () => {
  const names = [...accepted, ...refused].map(({ name }) => name)
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
  expect(refused.length).toBeGreaterThanOrEqual(120)
  expect(refused.filter(({ direction }) => direction === 'webhook').length).toBeGreaterThanOrEqual(40)
})

test.skipIf(!has('openssl', 'jq', 'tr'))("README's way to check an envelope by hand works as it is printed", () => {
  const [, commands = ''] =
    /```sh\ncd test\/vectors\n(.*?)```/s.exec(readFileSync(join(folder, 'README.md'), 'utf8')) ?? []
  expect(execFileSync('bash', ['-c', commands], { cwd: folder, encoding: 'utf8' })).toBe('Verified OK\n')
})
