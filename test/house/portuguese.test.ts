import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { portuguesePatterns } from './portuguese-patterns.ts'
import { type Prose, proseOfPage, stringsOfSource } from './prose.ts'
import { findPatterns } from './sentence-patterns.ts'

const root = join(import.meta.dirname, '..', '..')
const find = (text: string) => findPatterns(text, portuguesePatterns)

function findIn(files: readonly string[], proseOf: (path: string, text: string) => readonly Prose[]): string[] {
  return files
    .map((path) => path.replaceAll('\\', '/'))
    .flatMap((path) =>
      proseOf(path, readFileSync(join(root, path), 'utf8')).flatMap(({ line, text }) =>
        find(text).map(({ name, better, words }) => `${path}:${line} "${words}": ${name}. Use: ${better}.`),
      ),
    )
}

test('the pages in Portuguese have none of the patterns', () => {
  const pages = globSync(['*.md', 'docs/**/*.md', '{examples,test}/**/*.md'], { cwd: root })
  const portuguese = pages.filter((page) => page.includes('pt-BR'))
  expect(portuguese.length).toBeGreaterThan(45)
  expect(findIn(portuguese, (_, text) => proseOfPage(text))).toEqual([])
})

test('the texts of the programs have none of the patterns', () => {
  const files = globSync('{agent,contract,platform-stub,scripts}/**/*.{ts,mjs,js}', { cwd: root })
  expect(files.length).toBeGreaterThan(300)
  expect(findIn(files, stringsOfSource)).toEqual([])
})

test('the example game servers, and the settings in Portuguese, have none of the patterns', () => {
  const files = globSync(['examples/*/*.*', 'agent.example.*.env'], { cwd: root }).filter(
    (path) => !path.endsWith('.md'),
  )
  const lines = (_: string, text: string) => text.split('\n').map((line, index) => ({ line: index + 1, text: line }))
  expect(files.length).toBeGreaterThan(12)
  expect(findIn(files, lines)).toEqual([])
})

describe.each(portuguesePatterns)('$name', ({ name, before, after }) => {
  test('is found', () => {
    expect(find(before).map((found) => found.name)).toContain(name)
  })

  test('is not in the plainer sentence', () => {
    expect(find(after)).toEqual([])
  })
})

test.each([
  'O agente avisa a equipe. Alguém recebe um aviso quando um pedido espera.',
  'No início da lista estão os mais antigos.',
  'Mantenha os fins de linha (CR LF).',
  'A chave é apagada, e a página é propagada.',
  'O último dado da lista é um número.',
  'O comprador leva o item. Isso leva até um segundo.',
])('an ordinary sentence passes: %s', (sentence) => {
  expect(find(sentence)).toEqual([])
})

test('strings and templates of a source are read, and comments and code are not', () => {
  const source = ['// a comment', "const text = 'a string'", `const other = \`a \${text} of two\``].join('\n')
  expect(stringsOfSource('a.ts', source)).toEqual([
    { line: 2, text: 'a string' },
    { line: 3, text: 'a `value` of two' },
  ])
})
