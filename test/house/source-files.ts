import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Node, type ParseResult, parseSync, Visitor } from 'oxc-parser'

const root = join(import.meta.dirname, '..', '..')

/** A source file, parsed. */
export interface SourceFile {
  /** From the root of the repository, with `/`. */
  readonly path: string
  /** What it imports, as written: see `readImports`. */
  readonly imports: readonly string[]
  /** Those of them that are there when the program runs: not an import of only types, and not a mere text. */
  readonly valueImports: readonly string[]
  readonly exports: readonly string[]
  /** What is imported by name from a package; `*` and `default` are names too. */
  readonly namesFrom: (specifier: string) => readonly string[]
}

/** In place of an import whose path is computed. */
export const computedPath = '(a computed path)'

/** All source files of both programs and of `contract/`, the scripts of the stub's pages included. */
export function readSourceFiles(): SourceFile[] {
  return globSync('{contract,agent,platform-stub}/**/*.{ts,js}', { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .map((path) => parseSource(path, readFileSync(join(root, path), 'utf8')))
}

/** @throws {Error} The text is not valid TypeScript. */
export function parseSource(path: string, text: string): SourceFile {
  const parsed = parseSync(path, text)
  const [error] = parsed.errors
  if (error) throw new Error(`${path}: ${error.message}`)
  return {
    path,
    imports: readImports(parsed),
    valueImports: readValueImports(parsed),
    exports: readExports(parsed),
    namesFrom: (from) => readNames(parsed, from),
  }
}

/**
 * Every static, dynamic and type import, every `require`, and every other text that is the relative path of a module,
 * such as that of a worker.
 */
function readImports({ program }: ParseResult): string[] {
  const found = new Set<string>()
  const add = (source: Node | null) => {
    if (source) found.add(textOf(source) ?? computedPath)
  }
  const addIfPath = (node: Node) => {
    const text = textOf(node)
    if (text !== undefined && /^\.\.?\/.*\.(?:ts|js|json)$/.test(text)) found.add(text)
  }
  new Visitor({
    ImportDeclaration: ({ source }) => add(source),
    ExportNamedDeclaration: ({ source }) => add(source),
    ExportAllDeclaration: ({ source }) => add(source),
    ImportExpression: ({ source }) => add(source),
    TSImportType: ({ source }) => add(source),
    CallExpression: ({ callee, arguments: [first] }) => {
      if (callee.type === 'Identifier' && callee.name === 'require') add(first ?? null)
    },
    Literal: addIfPath,
    TemplateLiteral: addIfPath,
  }).visit(program)
  return [...found]
}

/** The value of a text without parts that are computed. */
function textOf(node: Node): string | undefined {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node.type === 'TemplateLiteral' && node.expressions.length === 0) return node.quasis[0]?.value.cooked ?? undefined
  return undefined
}

function readValueImports({ module, program }: ParseResult): string[] {
  const found = new Set<string>()
  for (const { moduleRequest, entries } of module.staticImports) {
    if (entries.length === 0 || entries.some(({ isType }) => !isType)) found.add(moduleRequest.value)
  }
  for (const { entries } of module.staticExports) {
    for (const { moduleRequest, isType } of entries) if (moduleRequest && !isType) found.add(moduleRequest.value)
  }
  new Visitor({ ImportExpression: ({ source }) => void found.add(textOf(source) ?? computedPath) }).visit(program)
  return [...found]
}

function readExports({ module }: ParseResult): string[] {
  return module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ exportName, localName }) => exportName.name ?? localName.name ?? []),
  )
}

function readNames({ module }: ParseResult, specifier: string): string[] {
  const from = module.staticImports.filter(({ moduleRequest }) => moduleRequest.value === specifier)
  return from.flatMap(({ entries }) => entries.map(({ importName: { name, kind } }) => name ?? String(kind)))
}
