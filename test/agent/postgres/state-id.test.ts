import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hostFiles } from '../../../agent/durable-files/host-files.ts'
import { stateIdOf } from '../../../agent/postgres/state-id.ts'

const newDir = () => mkdtempSync(join(tmpdir(), 'state-id-'))

test('a state directory keeps its id', () => {
  const dir = newDir()
  const id = stateIdOf(hostFiles, dir)
  expect(id).toMatch(/^[0-9a-f]{32}$/)
  expect(stateIdOf(hostFiles, dir)).toBe(id)
  expect(stateIdOf(hostFiles, newDir())).not.toBe(id)
})

// The store takes no NUL, and an agent that sends one would never start again.
test.each(['', '3ac768fe126a'.padEnd(32, '\0'), '\0'.repeat(32), 'x'.repeat(32)])(
  'an id that a power cut has damaged is replaced: %j',
  (text) => {
    const dir = newDir()
    writeFileSync(join(dir, 'store-id'), text)
    const id = stateIdOf(hostFiles, dir)
    expect(id).toMatch(/^[0-9a-f]{32}$/)
    expect(stateIdOf(hostFiles, dir)).toBe(id)
  },
)

test('an id that cannot be read now ends a start that may be tried again, with its cure', () => {
  const fail = () => {
    throw Object.assign(new Error('ENFILE: file table overflow'), { code: 'ENFILE' })
  }
  const files = { ...hostFiles, openSync: fail }
  expect(() => stateIdOf(files, newDir())).toThrow(expect.objectContaining({ name: 'DirUnusableError', mayPass: true }))
})
