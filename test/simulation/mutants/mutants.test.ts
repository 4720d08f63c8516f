import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { applyMutant, mutants } from './mutants.ts'

const root = join(import.meta.dirname, '../../..')

test('each mutant changes its file, at one place', () => {
  for (const mutant of mutants) {
    const source = readFileSync(join(root, mutant.file), 'utf8')
    expect(applyMutant(source, mutant), mutant.name).not.toBe(source)
  }
})

test('no two mutants have one name, and there are at least twenty of the agent', () => {
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length)
  expect(mutants.filter(({ file }) => file.startsWith('agent/')).length).toBeGreaterThanOrEqual(20)
})
