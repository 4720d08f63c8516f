import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..', '..')
const read = (page: string): string => readFileSync(join(root, page), 'utf8')

/** What must be the same in both languages. */
interface Outline {
  /** Level and number: `## 2.`, `### 2.1`; without a number `##`. */
  readonly headings: string[]
  readonly blocks: string[]
  /** Rows × columns. */
  readonly tables: string[]
}

/** The outline of a page. */
function outlineOf(page: string): Outline {
  const outline: Outline = { headings: [], blocks: [], tables: [] }
  let rows: string[] = []
  // A block is taken out whole, so that its lines are neither headings nor tables.
  for (const part of page.split(/^( *```\w*\n.*?^ *```)$/gms)) {
    const [, language, text] = /^ *```(\w*)\n(.*)^ *```$/ms.exec(part) ?? []
    if (text !== undefined) {
      outline.blocks.push(`${language}\n${withoutTexts(language ?? '', text)}`)
      continue
    }
    for (const line of [...part.split('\n'), '']) {
      const [, heading] = /^(#{2,}(?: [\d.]+(?= ))?)/.exec(line) ?? []
      if (heading) outline.headings.push(heading)
      if (line.startsWith('|')) rows.push(line)
      else if (rows.length > 0) {
        outline.tables.push(rows.map((row) => row.split(/(?<!\\)\|/).length - 2).join(','))
        rows = []
      }
    }
  }
  return outline
}

/** What is left of a block without what a reader may want translated: comments and placeholders; of a drawing, its lines. */
function withoutTexts(language: string, block: string): string {
  if (language === 'text') return block.replace(/[^|+<>/\\{}\n-]/g, '').replace(/(.)\1+/g, '$1')
  const comment = /(?:^|(?<=\s))(?:#|\/\/|--|rem) .*$/gm
  const code = language === 'json' ? block : block.replace(comment, '')
  return code
    .replace(/<[^<>\n]*>/g, '<>')
    .replaceAll('agent.example.pt-BR.env', 'agent.example.env')
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{2,}/g, '\n')
    .trim()
}

/** How two pages differ that must have the same outline. */
function differences(english: string, portuguese: string): string[] {
  const [one, other] = [outlineOf(english), outlineOf(portuguese)]
  return (['headings', 'blocks', 'tables'] as const).flatMap((kind) => {
    if (one[kind].length !== other[kind].length) return [`${one[kind].length} ${kind}, and ${other[kind].length}`]
    return one[kind].flatMap((part, at) => (part === other[kind][at] ? [] : [`${part} <> ${other[kind][at]}`]))
  })
}

const pagesOf = (tree: string): string[] => globSync('**/*.md', { cwd: join(root, 'docs', tree) }).sort()

/** Pages that say the same: English, Portuguese. */
function pairs(): [string, string][] {
  const readmes = globSync(['README.md', 'CHANGELOG.md', 'examples/**/README.md'], { cwd: root }).filter((page) =>
    existsSync(join(root, twinOf(page))),
  )
  return [
    ...readmes.map((page): [string, string] => [page, twinOf(page)]),
    ...pagesOf('en').map((page): [string, string] => [`docs/en/${page}`, `docs/pt-BR/${page}`]),
  ]
}

const twinOf = (readme: string): string => readme.replace(/\.md$/, '.pt-BR.md')

/** The pages that explain. The few lines next to each example are not among them. */
const guides = () => pairs().filter(([english]) => !/^(?:examples\/|CHANGELOG)/.test(english))

test('each page of the guides, and each page next to an example, has a twin in the other language', () => {
  expect(pagesOf('pt-BR')).toEqual(pagesOf('en'))
  expect(pagesOf('en').length).toBeGreaterThan(30)
  const examples = globSync('examples/*/{game,Game}.*', { cwd: root }).map((file) => dirname(file))
  const pages = ['.', 'examples', ...examples].flatMap((dir) => [`${dir}/README.md`, `${dir}/README.pt-BR.md`])
  expect(pages.filter((page) => !existsSync(join(root, page)))).toEqual([])
})

test('both languages have the same numbered headings, code blocks and tables', () => {
  const found = pairs().flatMap(([english, portuguese]) =>
    differences(read(english), read(portuguese)).map((difference) => `${portuguese}: ${difference}`),
  )
  expect(found).toEqual([])
})

test('every heading of the guides has a number', () => {
  const unnumbered = guides().filter(([english]) => outlineOf(read(english)).headings.some((one) => !/\d/.test(one)))
  expect(unnumbered).toEqual([])
})

test('every page of the guides links to its twin', () => {
  const withoutLink = guides().filter(([english, portuguese]) => {
    const linked = (page: string, word: string) => {
      const [, path = ''] = new RegExp(`^\\[${word}\\]\\((.*)\\)$`, 'm').exec(read(page)) ?? []
      return normalize(join(dirname(page), path))
    }
    return linked(english, 'Português') !== portuguese || linked(portuguese, 'English') !== english
  })
  expect(withoutLink).toEqual([])
})

test('a page in Portuguese links to pages in Portuguese where there are any', () => {
  const twins = new Map(pairs())
  const toEnglish = [...twins.values()].flatMap((from) => {
    const links = read(from).matchAll(/\[([^\]]*)\]\((?!https?:)([^)#\s]+)/g)
    return [...links].flatMap(([, words, path = '']) => {
      const twin = words === 'English' ? undefined : twins.get(normalize(join(dirname(from), path)))
      return twin === undefined ? [] : [`${from}: ${path}, but there is ${twin}`]
    })
  })
  expect(toEnglish).toEqual([])
})

const page = (command: string, comment: string, row: string, number = '1.', drawing = 'sale -> order') =>
  `# T\n\n## ${number} A\n\n\`\`\`sh\n${command} # ${comment}\n\`\`\`\n\n| a | b |\n|---|---|\n${row}\n\n\`\`\`text\n${drawing}\n\`\`\`\n`
const original = page('run -a', 'why', '| 1 | 2 |')

test('a translated comment and a translated drawing are not a difference', () => {
  expect(differences(original, page('run -a', 'por quê', '| um | dois |', '1.', 'venda --> pedido'))).toEqual([])
})

test.each([
  ['another command', page('run -b', 'why', '| 1 | 2 |')],
  ['another number of a heading', page('run -a', 'why', '| 1 | 2 |', '2.')],
  ['another row of a table', page('run -a', 'why', '| 1 | 2 |\n| 3 | 4 |')],
  ['another column of a table', page('run -a', 'why', '| 1 | 2 | 3 |')],
  ['another language of a block', original.replace('```sh', '```powershell')],
  ['another drawing', page('run -a', 'why', '| 1 | 2 |', '1.', 'venda <- pedido')],
  ['a block that is missing', original.replace(/```sh[\s\S]*?```\n/, '')],
])('%s is found', (_, changed) => {
  expect(differences(original, changed)).toHaveLength(1)
})
