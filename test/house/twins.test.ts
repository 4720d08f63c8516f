import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..', '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8').trimEnd()

/** What a text has that is the same in both languages: numbers, names in capitals, quoted texts, paths, code. */
function factsOf(text: string): string[] {
  const plain = text
    .replaceAll('docs/pt-BR/', 'docs/en/')
    .replaceAll('.pt-BR.', '.')
    .replace(/<[^<>]*>/g, '<>')
  return (plain.match(/`[^`]*`|"[^"]*"|\/?\w[\w.-]*\/[\w./-]*|\b[A-Z][A-Z_0-9]+\b|\d+/g) ?? []).sort()
}

/** How two lists of pieces differ that must say the same. */
function differences(english: readonly string[], portuguese: readonly string[]): string[] {
  if (english.length !== portuguese.length) return [`${english.length} pieces, and ${portuguese.length}`]
  return english.flatMap((piece, at) => {
    const [facts, other] = [factsOf(piece), factsOf(portuguese[at] ?? '')].map((found) => found.join(' '))
    return facts === other ? [] : [`${facts} <> ${other}`]
  })
}

/** Each setting, with the comment above it, and each other comment. */
const settingsIn = (file: string) => read(file).split('\n\n')

test('the example of all settings says the same in Portuguese: the same settings in the same order, the same facts', () => {
  const [english, portuguese] = [settingsIn('agent.example.env'), settingsIn('agent.example.pt-BR.env')]
  const settings = (piece: string) => piece.match(/^#?[A-Z_]+=.*$/gm) ?? []
  expect(portuguese.map(settings)).toEqual(english.map(settings))
  expect(differences(english, portuguese)).toEqual([])
})

/** Each heading and each item. */
const changesIn = (file: string) => read(file).match(/^(?:#+|-) .*$/gm) ?? []

test('the changes say the same in Portuguese: the same headings and items, the same facts', () => {
  const [english, portuguese] = [changesIn('CHANGELOG.md'), changesIn('CHANGELOG.pt-BR.md')]
  const kind = (line: string) => line.split(' ', 1)[0]
  expect(portuguese.map(kind)).toEqual(english.map(kind))
  expect(differences(english, portuguese)).toEqual([])
})

/** Words in code that a reader of Portuguese sees in Portuguese. */
const translated = [
  '`my request.json`',
  '`code`',
  '`ok, but`',
  '`wrong`',
  '`NAME=value`',
  '`platform-stub trigger EVENT`',
]

/** Each paragraph, item and row of a guide, without code blocks, links' targets and the link to the twin. */
function piecesOf(page: string): string[] {
  const lines = page.replace(/^( *)```[\s\S]*?^ *```$/gm, '').split('\n')
  return lines
    .filter((line) => line.trim() !== '' && !/^\|[-|]+\|$|^\[(?:English|Português)\]/.test(line))
    .map((line) => line.replace(/\]\([^)]*\)/g, ']'))
}

/** Numbers and code. A number has its thousands and decimals as its language writes them. */
function factsOfGuide(piece: string): string[] {
  return (
    piece
      .replace(/<[^<>]*>/g, '<>')
      .replaceAll('.pt-BR.', '.')
      .match(/`[^`]*`|\d[\d.,]*(?<=\d)/g)
      ?.map((fact) => {
        return fact.startsWith('`') ? fact : fact.replace(/[.,]/g, '')
      }) ?? []
  )
}

/** The facts of the first list that the second one does not have. */
function without(facts: readonly string[], others: readonly string[]): string[] {
  const rest = [...others]
  return facts.filter((fact) => {
    const at = rest.indexOf(fact)
    if (at >= 0) rest.splice(at, 1)
    return at < 0 && !translated.includes(fact)
  })
}

const guides = globSync('docs/en/**/*.md', { cwd: root }).map((path) => path.replaceAll('\\', '/'))

test.each(guides)('%s: every number and every name in code is in the same place of the Portuguese page', (path) => {
  const [english, portuguese] = [piecesOf(read(path)), piecesOf(read(path.replace('docs/en', 'docs/pt-BR')))]
  expect(portuguese.length, 'paragraphs, items and rows').toBe(english.length)
  const missing = english.flatMap((piece, at) =>
    without(factsOfGuide(piece), factsOfGuide(portuguese[at] ?? '')).map((fact) => `${fact}, in: ${piece}`),
  )
  expect(missing).toEqual([])
})

test('a fact that is missing, and a piece that is missing, are found', () => {
  const text = 'The port. 0 takes a free one; see `a b` in docs/en/x.md and "listening".'
  expect(differences([text], ['A porta. 0 usa uma livre; veja `a b` em docs/pt-BR/x.md e "listening".'])).toEqual([])
  expect(differences([text], ['A porta. 1 usa uma livre; veja `a b` em docs/pt-BR/x.md e "listening".'])).toHaveLength(
    1,
  )
  expect(differences([text, text], [text])).toEqual(['2 pieces, and 1'])
})

test('each alert has a sentence and a page in both languages', () => {
  const rules = read('docs/operations/monitoring/alerts.rules.yml')
  const alerts = [...rules.matchAll(/alert: (\w+)[\s\S]*?annotations: \{ (.*) \}/g)]
  expect(alerts.length).toBe(10)
  for (const [, name = '', annotations = ''] of alerts) {
    const told = Object.fromEntries([...annotations.matchAll(/(\w+): "([^"]*)"/g)].map(([, key, text]) => [key, text]))
    expect(Object.keys(told), name).toEqual(['summary', 'page', 'summary_pt', 'page_pt'])
    expect(told['summary_pt']).not.toBe(told['summary'])
    for (const [key, language] of [
      ['page', 'en'],
      ['page_pt', 'pt-BR'],
    ] as const) {
      const [, page = '', number] = /^(.*)#(\d+)-/.exec(told[key] ?? '') ?? []
      expect(page).toBe(`docs/${language}/operations/alerts.md`)
      expect(read(page)).toContain(`## ${number}. ${name}\n`)
    }
  }
})
