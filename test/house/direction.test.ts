import { isBuiltin } from 'node:module'
import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { contractPackages, type Program, pureOfNode, rows } from './rooms.ts'
import { computedPath, parseSource, readSourceFiles, type SourceFile } from './source-files.ts'

/** One text for each import that is not allowed: what it is, and what to do instead. */
function wrongImports(file: SourceFile): string[] {
  const { path, imports } = file
  return imports.flatMap((specifier) => {
    const target = isRelative(specifier) ? posix.join(posix.dirname(path), specifier) : undefined
    const help = target === undefined ? helpForPackage(file, specifier) : helpForFile(path, target)
    return help ? [`${path} imports ${target ?? specifier}\n  ${help}`] : []
  })
}

const isRelative = (specifier: string) => /^\.\.?(?:\/|$)/.test(specifier)
const programOf = (path: string) => path.split('/')[0] as Program
const roomOf = (path: string) => path.split('/')[1] ?? ''

function helpForFile(from: string, target: string): string | undefined {
  const [program, targetProgram] = [programOf(from), programOf(target)]
  if (program === targetProgram) return helpForRoom(program, roomOf(from), roomOf(target))
  if (program === 'contract') return 'contract/ imports only itself, because both programs are built on it.'
  if (targetProgram === 'contract' || target === 'package.json') return undefined
  if (targetProgram in rows) return 'The two programs meet only in contract/. Move what both need there, or pass it in.'
  return `A program imports only itself, contract/ and packages. ${targetProgram}/ is not shipped with it.`
}

function helpForRoom(program: Program, from: string, to: string): string | undefined {
  if (program === 'contract' || from === to) return undefined
  const [fromRow, toRow] = [from, to].map((room) => rows[program].findIndex((row) => row.includes(room)))
  if (fromRow === -1 || toRow === -1) {
    return `${fromRow === -1 ? from : to} is not a room yet. Add it to its row in test/house/rooms.ts.`
  }
  if (Number(fromRow) < Number(toRow)) return undefined
  const why = fromRow === toRow ? `${from} and ${to} do not know each other.` : `${to} is above ${from}.`
  return `${why} Move what both need to a room below, or pass it in. The order is in test/house/rooms.ts.`
}

function helpForPackage({ path: from, namesFrom }: SourceFile, specifier: string): string | undefined {
  if (specifier === computedPath || /^[/#]|^(?:file|data|https?):/.test(specifier)) {
    return 'Write a relative path, so that people and tools can follow the import.'
  }
  if (programOf(from) !== 'contract') return undefined
  const names = namesFrom(specifier)
  if (names.length > 0 && names.every((name) => pureOfNode[specifier]?.includes(name))) return undefined
  if (isBuiltin(specifier)) return 'contract/ is pure: no files, sockets, clocks or randomness. Pass in what it needs.'
  if (contractPackages.includes(specifier.split('/')[0] ?? '')) return undefined
  return `contract/ may import only ${contractPackages.join(' and ')}. If this package only computes, add it in test/house/rooms.ts.`
}

const sources = readSourceFiles()

test('each room imports only rooms below it, and the two programs meet only in contract/', () => {
  expect(sources.length).toBeGreaterThan(200)
  expect(sources.flatMap(wrongImports).join('\n')).toBe('')
})

// The rules can fail

const wrongIn = (path: string, text: string) => wrongImports(parseSource(path, text))
const importing = (from: string, target: string) => wrongIn(from, `import '${target}'`).join('\n') || 'allowed'

test('an import that is not allowed is reported with its cure', () => {
  expect(importing('agent/spool/claim.ts', '../../platform-stub/store/open.ts')).toBe(
    'agent/spool/claim.ts imports platform-stub/store/open.ts\n' +
      '  The two programs meet only in contract/. Move what both need there, or pass it in.',
  )
  expect(importing('agent/call/turns.ts', '../spool/claim.ts')).toBe(
    'agent/call/turns.ts imports agent/spool/claim.ts\n' +
      '  spool is above call. Move what both need to a room below, or pass it in. The order is in test/house/rooms.ts.',
  )
})

test('each border is kept in both directions', () => {
  expect(importing('platform-stub/main.ts', '../agent/agent.ts')).toMatch(/meet only in contract/)
  expect(importing('contract/limits.ts', '../agent/agent.ts')).toMatch(/imports only itself/)
  expect(importing('contract/limits.ts', '../package.json')).toMatch(/imports only itself/)
  expect(importing('contract/limits.ts', './envelope/open.ts')).toBe('allowed')
  expect(importing('agent/agent.ts', '../test/fixtures/b.ts')).toMatch(/not shipped/)
  expect(importing('agent/agent.ts', '../package.json')).toBe('allowed')
  expect(importing('agent/agent.ts', '../contract/limits.ts')).toBe('allowed')
  expect(importing('agent/agent.ts', './call/call.ts')).toBe('allowed')
  expect(importing('agent/call/call.ts', '../agent.ts')).toMatch(/agent\.ts is above call/)
  expect(importing('agent/spool/claim.ts', '../loopback/guard.ts')).toMatch(/do not know each other/)
  expect(importing('agent/spool/claim.ts', '../garage/car.ts')).toMatch(/garage is not a room yet/)
  expect(importing('platform-stub/store/open.ts', '../main.ts')).toMatch(/main\.ts is above store/)
  expect(importing('contract/limits.ts', 'zod/mini')).toBe('allowed')
  expect(importing('contract/limits.ts', 'undici')).toMatch(/only jose and zod/)
  expect(wrongIn('contract/limits.ts', "import { publicDecrypt } from 'node:crypto'")).toEqual([])
  expect(wrongIn('contract/limits.ts', "import { publicDecrypt, randomUUID } from 'node:crypto'").length).toBe(1)
  for (const builtin of ['node:fs', 'fs', 'node:crypto', 'node:sqlite', 'node:timers/promises', 'node:process']) {
    expect(importing('contract/limits.ts', builtin), builtin).toMatch(/contract\/ is pure/)
  }
})

test('every way to import is seen', () => {
  const ways = [
    "import a from '../platform-stub/x.ts'",
    "import type { A } from '../platform-stub/x.ts'",
    "import data from '../platform-stub/x.json' with { type: 'json' }",
    "export * from '../platform-stub/x.ts'",
    "export type { A } from '../platform-stub/x.ts'",
    "const a = await import('../platform-stub/x.ts')",
    'const a = await import(`../platform-stub/x.ts`)',
    "type A = import('../platform-stub/x.ts').A",
    "const a = require('../platform-stub/x.ts')",
    "new Worker(new URL('../platform-stub/x.ts', import.meta.url))",
    'await import(path)',
    "await import('../platform-stub/' + name)",
    "import a from '/srv/market/platform-stub/x.ts'",
    "import a from 'file:///srv/market/platform-stub/x.ts'",
  ]
  for (const text of ways) expect(wrongIn('agent/agent.ts', text).length, text).toBe(1)
  expect(wrongIn('agent/agent.ts', "// import a from '../platform-stub/x.ts'")).toEqual([])
})
