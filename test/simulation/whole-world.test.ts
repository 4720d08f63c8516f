import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const program = join(import.meta.dirname, 'simulate.ts')

/** Others each day, and the same on each machine of a day. A seed that fails here is printed and fails again. */
const today = Math.floor(Date.now() / 86_400_000) * 1_000

/** The last world that is begun may have an hour that passes before its end, on a slow machine. */
const slowWorldMs = 300_000

/** Runs seeds in a process of their own: what a dead process of a world leaves unhandled would end these tests. */
function simulate(...options: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, '--brief', '--threads', '1', ...options], {
    encoding: 'utf8',
  })
  return { status, said: stdout + stderr }
}

test('the whole world keeps every promise under the first seeds, and a second run is like the first', {
  timeout: slowWorldMs,
}, () => {
  const { status, said } = simulate('--seconds', '6')
  expect(status, said).toBe(0)
})

test('the whole world keeps every promise under 30 s of new seeds', { timeout: slowWorldMs }, () => {
  const { status, said } = simulate('--seconds', '24', '--first', String(today), '--twice', '0')
  expect(status, said).toBe(0)
})

test('agents of one identity keep every promise over a store that they share', { timeout: slowWorldMs }, () => {
  // One world, twice: such a world takes as long as five others.
  const { status, said } = simulate('--hosts', '2', '--seconds', '1', '--first', String(today), '--twice', '1')
  expect(status, said).toBe(0)
})

test('a mutant is found and says which promise it breaks', { timeout: 60_000 }, () => {
  const { status, said } = simulate('--mutants', 'a jti is used again', '--seconds', '40')
  expect(status, said).toBe(0)
  expect(said).toContain('no jti is sent twice')
})
