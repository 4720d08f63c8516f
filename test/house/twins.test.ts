import { readFileSync } from 'node:fs'
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
  expect(alerts.length).toBe(9)
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
