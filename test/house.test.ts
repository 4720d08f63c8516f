import { existsSync, globSync, readFileSync } from 'node:fs'
import { isBuiltin, stripTypeScriptTypes } from 'node:module'
import { join, posix } from 'node:path'
import { expect, test } from 'vitest'

// Style as a test: imports point one way, and what varies from run to run stays out of contract/.

const root = join(import.meta.dirname, '..')
const programs = ['agent', 'platform-stub'] as const
/** What contract/ may stand on: libraries that only compute. */
const contractPackages = ['jose', 'zod']

interface SourceFile {
  readonly path: string
  readonly text: string
}

/** Every fault of a file, as a newcomer wants to read it. */
function faultsOf(file: SourceFile): string[] {
  const faults = importsOf(file.text).flatMap((specifier) => {
    const help = importFault(file.path, specifier)
    return help ? [`${file.path} imports ${shownTarget(file.path, specifier)}\n  ${help}`] : []
  })
  return [...faults, ...(folderOf(file.path) === 'contract' ? impurities(file) : [])]
}

// Imports

const folderOf = (path: string) => path.split('/')[0] ?? ''
const isRelative = (specifier: string) => /^\.\.?(\/|$)/.test(specifier)
const targetOf = (from: string, specifier: string) => posix.join(posix.dirname(from), specifier)
const shownTarget = (from: string, specifier: string) => (isRelative(specifier) ? targetOf(from, specifier) : specifier)

/** The help for an import that the house does not allow; undefined where it does. */
function importFault(from: string, specifier: string): string | undefined {
  const folder = folderOf(from)
  if (!isRelative(specifier)) return packageFault(folder, specifier)
  const target = targetOf(from, specifier)
  const targetFolder = folderOf(target)
  if (target === `${folder}/main.ts`) return 'main.ts knows the parts, the parts do not know it. Pass in what it has.'
  if (targetFolder === folder) return undefined
  if (folder === 'contract') return 'contract/ is what both programs stand on. It imports only itself.'
  if (targetFolder === 'contract' || target === 'package.json') return undefined
  if ((programs as readonly string[]).includes(targetFolder)) {
    return 'The two programs meet only in contract/. Move what both need there, or pass it in.'
  }
  return `A program imports only itself, contract/ and packages. ${targetFolder}/ is not shipped with it.`
}

function packageFault(folder: string, specifier: string): string | undefined {
  if (specifier === computed) return 'Nobody can follow an import that is computed. Write its path out.'
  if (/^[/#]|^(file|data|https?):/.test(specifier)) return 'Nobody can follow this import. Write a relative path.'
  if (folder !== 'contract') return undefined
  if (isBuiltin(specifier)) return 'contract/ is pure: no files, sockets, clock or chance. Pass in what it needs.'
  if (contractPackages.includes(specifier.split('/')[0] ?? '')) return undefined
  return `contract/ stands on ${contractPackages.join(' and ')} alone. If this package only computes, add it in test/house.test.ts.`
}

const computed = '(a computed path)'

/** What a text imports: import and export from, for effect, for types, dynamic, and files it starts as workers. */
function importsOf(text: string): string[] {
  const { code, strings } = lexed(text)
  const found: string[] = []
  const statement =
    /(?<![.\w$])(?:import|export)(?:\s+type)?(?:[\s\w$,*{}]|"\d+")*?(?<![\w$])from\s*"(\d+)"|(?<![.\w$])import\s*"(\d+)"/g
  const call =
    /(?<![.\w$])(?:import|require)\s*\(\s*(?:"(\d+)"\s*[,)]|[^)\s])|\bnew\s+URL\(\s*"(\d+)"\s*,\s*import\.meta\./g
  for (const match of [...code.matchAll(statement), ...code.matchAll(call)]) {
    const index = match[1] ?? match[2]
    found.push(index === undefined ? computed : (strings[Number(index)] ?? computed))
  }
  return found
}

// Purity

/** Ways to a clock, to chance, to the process or out of it that need no import. */
const impure: readonly [name: string, pattern: RegExp][] = [
  ['Date.now', /\bDate\s*\??\.\s*now\b/],
  ['new Date()', /\bnew\s+Date\s*(?:\(\s*\)|(?![\s(]))/],
  ['Date()', /(?<!\bnew\s+)(?<![.\w$])Date\s*\(/],
  ['Temporal.Now', /\bTemporal\s*\.\s*Now\b/],
  ['Math.random', /\bMath\s*\??\.\s*random\b/],
  ['crypto', /(?<![.\w$])crypto\s*\./],
  ...['performance', 'process', 'globalThis', 'navigator', 'console', 'localStorage'].map(global),
  ...['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest', 'BroadcastChannel', 'Worker'].map(global),
  ...['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'eval', 'Function'].map(global),
]

/** A global by its bare name: not a property, not a key. */
function global(name: string): [string, RegExp] {
  return [name, new RegExp(`(?<![.\\w$]|\\?\\.)${name}(?![\\w$]|\\s*\\??:)`)]
}

function impurities({ path, text }: SourceFile): string[] {
  const { code } = lexed(stripTypeScriptTypes(text))
  return impure
    .filter(([, pattern]) => pattern.test(code))
    .map(
      ([name]) =>
        `${path} uses ${name}\n  contract/ gives the same answer every time. Take what varies as a parameter.`,
    )
}

// Reading TypeScript without TypeScript

// A regular expression can stand only where no value has just ended.
const value = String.raw`(?<=(?:^|[=(,:[!&|?{};+\-*%~^<>]|\b(?:return|typeof|case|in|of|void))\s*)`
const patternStart = String.raw`\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[*]`
const patternRest = String.raw`\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[]`
const tokens = [
  String.raw`\/\/[^\n]*`,
  String.raw`\/\*[\s\S]*?\*\/`,
  String.raw`'(?:\\[\s\S]|[^'\\\n])*'`,
  String.raw`"(?:\\[\s\S]|[^"\\\n])*"`,
  String.raw`${value}\/(?:${patternStart})(?:${patternRest})*\/\w*`,
  '[`{}]',
].join('|')
const templatePiece = /(?:\\[\s\S]|\$(?!\{)|[^\\`$])*(?:`|\$\{|$)/y

/** The code with its comments taken out and each string or pattern replaced by `"n"`, its place in `strings`. */
function lexed(text: string): { code: string; strings: string[] } {
  const strings: string[] = []
  const token = new RegExp(tokens, 'g')
  /** For each open brace, whether a template goes on behind it. */
  const braces: boolean[] = []
  let code = ''
  let at = 0
  const keep = (content: string) => `"${strings.push(content) - 1}"`

  /** Moves past a template's text; what stands in its `${}` is code again. */
  const passTemplate = () => {
    templatePiece.lastIndex = at
    const [piece = ''] = templatePiece.exec(text) ?? []
    at += piece.length
    const goesOn = piece.endsWith('${')
    // A template of one piece may be a path like any other string.
    code += goesOn ? ` ${keep('')} (` : keep(piece.slice(0, -1))
    if (goesOn) braces.push(true)
  }

  while (at < text.length) {
    token.lastIndex = at
    const match = token.exec(text)
    code += text.slice(at, match?.index)
    if (!match) break
    const [found] = match
    at = match.index + found.length
    if (found === '`') passTemplate()
    else if (found === '{') {
      braces.push(false)
      code += found
    } else if (found === '}') {
      const closesTemplate = braces.pop() === true
      code += closesTemplate ? ') ' : found
      if (closesTemplate) passTemplate()
    } else if (/^\/[/*]/.test(found)) code += ' '
    else code += keep(found.slice(1, -1))
  }
  return { code, strings }
}

// The house as it stands

const sources: SourceFile[] = ['contract', ...programs]
  .filter((folder) => existsSync(join(root, folder)))
  .flatMap((folder) => globSync(`${folder}/**/*.{ts,mts,js,mjs}`, { cwd: root }))
  .map((path) => path.replaceAll('\\', '/'))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))

test('contract/ imports neither program nor clock, chance, files or sockets; the programs meet only in contract/', () => {
  expect(sources.length).toBeGreaterThan(8)
  expect(sources.flatMap(faultsOf).join('\n')).toBe('')
})

test('the import of every source file is seen: as many as there are lines that begin with one', () => {
  for (const { path, text } of sources) {
    const lines = text.match(/^(?:import|export)\b.*? from '|^\} from '|^import '/gm) ?? []
    expect(importsOf(text).length, path).toBeGreaterThanOrEqual(lines.length)
  }
})

// The checker itself

/** The faults of a sample, in which `@{` stands for what opens a template's code. */
const faultsIn = (path: string, text: string) => faultsOf({ path, text: text.replaceAll('@{', '$' + '{') })

test('an import across the programs is told with its cure', () => {
  expect(
    faultsIn('agent/spool/claim.ts', "import { a } from '../../platform-stub/transactions/state.ts'").join('\n'),
  ).toBe(
    'agent/spool/claim.ts imports platform-stub/transactions/state.ts\n' +
      '  The two programs meet only in contract/. Move what both need there, or pass it in.',
  )
})

test('every way to import is seen', () => {
  const ways = [
    "import a from '../platform-stub/x.ts'",
    "import type { A } from '../platform-stub/x.ts'",
    "import * as a from '../platform-stub/x.ts'",
    "import a, { type B } from '../platform-stub/x.ts'",
    "import { 'a b' as c } from '../platform-stub/x.ts'",
    "import {\n  a,\n  // from './own.ts'\n  b,\n} from '../platform-stub/x.ts'",
    'import{a}from"../platform-stub/x.ts"',
    "import '../platform-stub/x.ts'",
    "import data from '../platform-stub/x.json' with { type: 'json' }",
    "export * from '../platform-stub/x.ts'",
    "export * as x from '../platform-stub/x.ts'",
    "export { a } from '../platform-stub/x.ts'",
    "export type { A } from '../platform-stub/x.ts'",
    "const a = await import('../platform-stub/x.ts')",
    'const a = await import(`../platform-stub/x.ts`)',
    "const a = await import(\n  // here\n  '../platform-stub/x.ts',\n)",
    "type A = import('../platform-stub/x.ts').A",
    "const a = require('../platform-stub/x.ts')",
    "new Worker(new URL('../platform-stub/x.ts', import.meta.url))",
    "const b = `@{await import('../platform-stub/x.ts')}`",
    "const r = /['\"`]/\nimport a from '../platform-stub/x.ts'",
    "const r = 4 / 2 // '\nimport a from '../platform-stub/x.ts' // ' / 1",
    "const a = 'it\\'s'; import b from '../platform-stub/x.ts'",
    "const a = `@{`@{'}'}`} '`\nimport b from '../platform-stub/x.ts'",
    "import a from './own.ts'\nimport b from '../platform-stub/x.ts'",
    'await import(path)',
    "await import('../platform-stub/' + name)",
    "import a from '/srv/market/platform-stub/x.ts'",
    "import a from 'file:///srv/market/platform-stub/x.ts'",
  ]
  for (const text of ways) expect(faultsIn('agent/a.ts', text).length, text).toBe(1)
})

test('what only looks like an import is none', () => {
  const texts = [
    "// import a from '../platform-stub/x.ts'",
    "/* import a from '../platform-stub/x.ts' */",
    'const a = "import b from \'../platform-stub/x.ts\'"',
    "const a = `import b from '../platform-stub/x.ts'`",
    "const a = /import '..\\/platform-stub'/",
    "export const from = 1\nconst a = '../platform-stub/x.ts'",
    "deps.import('../platform-stub/x.ts')",
    'const here = import.meta.url',
    "import a from './own.ts'",
    "import a from '../contract/limits.ts'",
    "import a from '../package.json' with { type: 'json' }",
    "import { readFile } from 'node:fs/promises'\nimport { Pool } from 'undici'",
  ]
  for (const text of texts) expect(faultsIn('agent/a.ts', text), text).toEqual([])
})

test('each border of the house is kept, in both directions', () => {
  const help = (from: string, specifier: string) => importFault(from, specifier) ?? 'allowed'
  expect(help('platform-stub/a.ts', '../agent/b.ts')).toMatch(/meet only in contract/)
  expect(help('contract/envelope/a.ts', '../../agent/b.ts')).toMatch(/imports only itself/)
  expect(help('contract/a.ts', '../package.json')).toMatch(/imports only itself/)
  expect(help('contract/a.ts', './envelope/b.ts')).toBe('allowed')
  expect(help('agent/a.ts', '../test/fixtures/b.ts')).toMatch(/not shipped/)
  expect(help('agent/a.ts', '../scripts/b.ts')).toMatch(/not shipped/)
  expect(help('agent/spool/a.ts', '../main.ts')).toMatch(/main\.ts knows the parts/)
  expect(help('platform-stub/a.ts', './main.ts')).toMatch(/main\.ts knows the parts/)
  expect(help('agent/spool/a.ts', './main.ts')).toBe('allowed')
  for (const builtin of ['node:fs', 'fs', 'node:crypto', 'node:sqlite', 'node:timers/promises', 'node:process']) {
    expect(help('contract/a.ts', builtin), builtin).toMatch(/contract\/ is pure/)
  }
  expect(help('contract/a.ts', 'undici')).toMatch(/jose and zod alone/)
  expect(help('contract/a.ts', 'zod/mini')).toBe('allowed')
})

test('clock, chance and the outside are seen in contract/ without an import, and nowhere else', () => {
  const uses = [
    'Date.now()',
    'Date . now ()',
    'new Date()',
    'new Date',
    'Date()',
    'Math.random()',
    'const { random } = Math; Math?.random()',
    'performance.now()',
    'process.env',
    'const p = process',
    'fetch("https://x")',
    'void fetch',
    'setTimeout(() => {}, 1)',
    'setInterval(f)',
    'crypto.randomUUID()',
    'globalThis["Date"]',
    'console.log(1)',
    'const a = `@{Date.now()}`',
    'const a = b as Date; new Date()',
  ]
  for (const text of uses) {
    expect(faultsIn('contract/a.ts', text).length, text).toBeGreaterThanOrEqual(1)
    expect(faultsIn('agent/a.ts', text), text).toEqual([])
  }
  expect(faultsIn('contract/a.ts', 'export const at = Date.now()')).toEqual([
    'contract/a.ts uses Date.now\n  contract/ gives the same answer every time. Take what varies as a parameter.',
  ])
})

test('what only looks impure passes', () => {
  const texts = [
    '// Date.now() and fetch',
    "const a = 'process.env'",
    'const a = `new Date()`',
    'new Date(at).toISOString()',
    'Date.parse(text)',
    'interface Deps { fetch: (url: string) => void; setTimeout?: () => void }',
    'deps.fetch(url)',
    'deps?.process',
    'const reprocess = 1; prefetch(); randomise()',
    'type F = typeof fetch',
    'let a: Date',
    'const limits = { process: 1 }',
  ]
  for (const text of texts) expect(faultsIn('contract/a.ts', text), text).toEqual([])
})
