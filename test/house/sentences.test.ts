import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Prose, proseOfPage, proseOfSource } from './prose.ts'
import { findPatterns, sentencePatterns } from './sentence-patterns.ts'

const root = join(import.meta.dirname, '..', '..')

function findIn(files: readonly string[], proseOf: (path: string, text: string) => readonly Prose[]): string[] {
  return files
    .map((path) => path.replaceAll('\\', '/'))
    .flatMap((path) =>
      proseOf(path, readFileSync(join(root, path), 'utf8')).flatMap(({ line, text }) =>
        findPatterns(text).map(({ name, better, words }) => `${path}:${line} "${words}": ${name}. Use: ${better}.`),
      ),
    )
}

test('comments and names of tests have none of the patterns', () => {
  const files = globSync(['*.{ts,mjs}', '{agent,contract,examples,platform-stub,scripts,test}/**/*.{ts,js,mjs}'], {
    cwd: root,
  })
  expect(files.length).toBeGreaterThan(500)
  expect(findIn(files, proseOfSource)).toEqual([])
})

test('the pages in English have none of the patterns', () => {
  const pages = globSync(['*.md', 'docs/**/*.md', '{examples,test}/**/*.md'], { cwd: root })
  const english = pages.filter((page) => !page.includes('pt-BR'))
  expect(english.length).toBeGreaterThan(80)
  expect(findIn(english, (_, text) => proseOfPage(text))).toEqual([])
})

describe.each(sentencePatterns)('$name', ({ name, before, after }) => {
  test('is found', () => {
    expect(findPatterns(before).map((found) => found.name)).toContain(name)
  })

  test('is not in the plainer sentence', () => {
    expect(findPatterns(after)).toEqual([])
  })

  test('is not looked for in code, quotes and links', () => {
    expect(findPatterns(`The log says "${before}" and \`${before}\`: [see](https://example.com/${before})`)).toEqual([])
  })
})

test.each([
  'There is no agent. The agent is no longer there.',
  'Who may call the agent',
  'The agent stands by until the other one ends.',
  'A name stands for a game server, and the stub can stand in for it.',
  'It reads the file, writes the answer, and is done.',
  'There are so many calls that the next one is refused.',
  'It runs alone.',
  'What a caller may send',
  'What is left to do? See the list of what to try.',
])('an ordinary sentence passes: %s', (sentence) => {
  expect(findPatterns(sentence)).toEqual([])
})

test('comments and names of tests are read, and strings are not', () => {
  const source = [
    '/** One',
    ' * comment. */',
    "const text = 'a // string'",
    '// Two lines',
    '// are one comment.',
    "test('a name', () => {})",
    `test.each([])(\`a name of \${text}\`, () => {})`,
  ].join('\n')
  expect(proseOfSource('a.test.ts', source)).toEqual([
    { line: 1, text: 'One comment.' },
    { line: 4, text: 'Two lines are one comment.' },
    { line: 6, text: 'a name' },
    { line: 7, text: 'a name of `value`' },
  ])
})

test('paragraphs, list items and cells of a page are read, and code blocks and quotes are not', () => {
  const page = ['# A title', '', '- An item.', '```sh', 'code', '```', '> A quote.', '| one | two |'].join('\n')
  expect(proseOfPage(page)).toEqual([
    { line: 1, text: 'A title' },
    { line: 3, text: 'An item.' },
    { line: 8, text: 'one' },
    { line: 8, text: 'two' },
  ])
})
