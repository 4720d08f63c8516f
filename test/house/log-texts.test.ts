import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isOnPage, logTextsIn, textConstantsIn } from './log-texts.ts'

const root = join(import.meta.dirname, '..', '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const sources = globSync('agent/**/*.ts', { cwd: root }).map((path) => ({ path, source: read(path) }))
const constants = new Map(sources.flatMap(({ path, source }) => textConstantsIn(path, source)))
const found = sources.flatMap(({ path, source }) =>
  logTextsIn(path, source, constants).map((one) => ({ path: path.replaceAll('\\', '/'), ...one })),
)

/** Code that gives a log a text which is on the page by its form: a setting or path, a problem and its cure. */
const madeTexts = new Set(['message', 'msg', 'reason', 'sentenceOf(warning)', 'sentenceOf(problem)'])

for (const language of ['en', 'pt-BR']) {
  test(`the page of logs in docs/${language} has every text that the agent logs`, () => {
    const page = read(`docs/${language}/operations/logs.md`)
    const texts = found.flatMap((one) => ('text' in one ? [one] : []))
    expect(texts.length).toBeGreaterThan(60)
    expect(texts.filter(({ text }) => !isOnPage(page, text)).map(({ path, text }) => `${path}: ${text}`)).toEqual([])
  })
}

test('every text that the agent logs is written in the code, except those of settings, problems and failed starts', () => {
  const codes = found.flatMap((one) => ('code' in one ? [one] : []))
  expect(codes.filter(({ code }) => !madeTexts.has(code))).toEqual([])
})

test('the texts of log lines are found, with their constants, values and both branches', () => {
  const source = [
    "export const taken = 'a port is taken'",
    'log.warn({ port }, taken)',
    "options.log.error('one')",
    'this.#limited.warn({}, `two of $' + '{3}`)',
    "const line = { msg: isLate ? 'three' : 'four' }",
    'log.fatal(message)',
    "reader.warn('five')",
  ].join('\n')
  expect(logTextsIn('a.ts', source, new Map(textConstantsIn('a.ts', source)))).toEqual([
    { text: 'a port is taken' },
    { text: 'one' },
    { text: 'two of …' },
    { text: 'three' },
    { text: 'four' },
    { code: 'message' },
  ])
})

test('a page has a text when it quotes all of it, or leaves a part out', () => {
  expect(isOnPage('| `calls fail` | why |', 'calls fail')).toBe(true)
  expect(isOnPage('| `order closed: …` | why |', 'order closed: it was delivered')).toBe(true)
  expect(isOnPage('| `order closed: …` | why |', 'order opened: again')).toBe(false)
  expect(isOnPage('The log says calls fail.', 'calls fail')).toBe(false)
  expect(isOnPage('| `…` |', 'calls fail')).toBe(false)
})
