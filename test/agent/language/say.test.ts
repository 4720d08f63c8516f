import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'
import { expect, test } from 'vitest'
import { portuguese } from '../../../agent/language/portuguese.ts'
import { prefersPortuguese, say, speakPortuguese } from '../../../agent/language/say.ts'

const root = join(import.meta.dirname, '..', '..', '..')

/** The keys of all texts that a source gives to `say`. */
function keysIn(path: string, source: string): string[] {
  const keys: string[] = []
  new Visitor({
    TaggedTemplateExpression({ tag, quasi }) {
      if (tag.type !== 'Identifier' || tag.name !== 'say') return
      keys.push(
        quasi.quasis.map(({ value }) => value.cooked ?? '').reduce((before, part, at) => `${before}{${at - 1}}${part}`),
      )
    },
  }).visit(parseSync(path, source).program)
  return keys
}

const valuesIn = (text: string) => [...new Set(text.match(/\{\d\}/g) ?? [])].sort()

test('every text for a command line has a Portuguese translation, and no translation is without its text', () => {
  const paths = globSync('agent/**/*.ts', { cwd: root })
  const keys = new Set(paths.flatMap((path) => keysIn(path, readFileSync(join(root, path), 'utf8'))))
  expect([...keys].sort()).toEqual(Object.keys(portuguese).sort())
})

test('a text that is given to say is found with the places of its values', () => {
  expect(keysIn('a.ts', `const a = say\`kid \${kid} of \${say\`nothing\`}\`; const b = other\`x\``)).toEqual([
    'kid {0} of {1}',
    'nothing',
  ])
})

test('a translation has the values of its text', () => {
  for (const [text, translation] of Object.entries(portuguese)) expect(valuesIn(translation)).toEqual(valuesIn(text))
})

test('the language is the one of LC_ALL, else of LC_MESSAGES, else of LANG', () => {
  for (const env of [{ LANG: 'pt_BR.UTF-8' }, { LC_ALL: 'pt_PT', LANG: 'C' }, { LC_MESSAGES: 'pt', LANG: 'en_US' }])
    expect(prefersPortuguese(env, 'linux')).toBe(true)
  for (const env of [{ LC_ALL: 'C', LANG: 'pt_BR.UTF-8' }, { LANG: 'ptx' }, { LC_ALL: '', LANG: 'en_US.UTF-8' }])
    expect(prefersPortuguese(env, 'linux')).toBe(false)
})

test('a text is English until Portuguese is chosen, and a value that looks like a place stays as it is', async () => {
  expect(say`${'{1}'}: version ${3}. Damage inside is found at the start`).toBe(
    '{1}: version 3. Damage inside is found at the start',
  )
  await speakPortuguese()
  expect(say`${'{1}'}: version ${3}. Damage inside is found at the start`).toBe(
    '{1}: versão 3. Danos internos são encontrados na inicialização',
  )
})
