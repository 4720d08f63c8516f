import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { applyMutant, mutants } from './mutants.ts'

const root = join(import.meta.dirname, '../../..')

test('each mutant changes its file, at one place, is a program, and is not another one', () => {
  const known = new Set<string>()
  for (const mutant of mutants) {
    const source = readFileSync(join(root, mutant.file), 'utf8')
    const broken = applyMutant(source, mutant)
    expect(broken, mutant.name).not.toBe(source)
    expect(() => stripTypeScriptTypes(broken), mutant.name).not.toThrow()
    expect(known.has(broken), mutant.name).toBe(false)
    known.add(broken)
  }
})

test('no two mutants have one name, and there are at least twenty of the agent', () => {
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length)
  expect(mutants.filter(({ file }) => file.startsWith('agent/')).length).toBeGreaterThanOrEqual(20)
})
