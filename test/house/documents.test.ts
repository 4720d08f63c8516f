import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkNames } from '../../agent/check/check.ts'
import { problemTable } from '../../agent/platform/problem-table.ts'

const root = join(import.meta.dirname, '..', '..')
const folders = /^(?:agent|contract|docs|examples|platform-stub|scripts|test)\//

/** The files and folders of this repository that a page names. */
function pathsIn(page: string): string[] {
  const named = [...page.matchAll(/`([\w./-]+)`/g)].map(([, path = '']) => path)
  return named.filter((path) => folders.test(path))
}

test('every file that the documents name is there', () => {
  // The changelog names the files of its own time.
  const pages = globSync(['README*.md', 'CONTRIBUTING.md', 'SECURITY.md', 'docs/**/*.md', 'examples/**/*.md'], {
    cwd: root,
  })
  expect(pages.length).toBeGreaterThan(30)
  const missing = pages.flatMap((page) => {
    const paths = pathsIn(readFileSync(join(root, page), 'utf8'))
    return paths.filter((path) => !existsSync(join(root, path))).map((path) => `${page} names ${path}`)
  })
  expect(missing).toEqual([])
})

/** The index of the decisions: the file and the title of each page. */
function indexOf(index: string): string[][] {
  return [...index.matchAll(/^\| \[(\d{4})\]\(([\w-]+\.md)\) \| (.*) \|$/gm)].map(([, ...row]) => row)
}

test('the index of the decisions has each page once, by its number and title', () => {
  const folder = join(root, 'docs', 'decisions')
  const pages = globSync('[0-9]*.md', { cwd: folder }).map((file) => {
    const [, number = '', title = ''] = /^# (\d{4}) (.*)$/m.exec(readFileSync(join(folder, file), 'utf8')) ?? []
    return [number, file, title]
  })
  expect(pages.length).toBeGreaterThan(30)
  expect(indexOf(readFileSync(join(folder, 'README.md'), 'utf8')).sort()).toEqual(pages.sort())
})

test('the decision on dependencies names each of them', () => {
  const decision = readFileSync(join(root, 'docs', 'decisions', '0014-dependencies.md'), 'utf8')
  const { dependencies, optionalDependencies, devDependencies } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  )
  const names = Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies })
  expect(names.length).toBeGreaterThan(30)
  expect(names.filter((name) => !decision.includes(`\`${name}\``))).toEqual([])
})

test('no decision says that another one has replaced or changed it', () => {
  const pages = globSync('docs/decisions/[0-9]*.md', { cwd: root })
  const isHistory = (page: string) =>
    /^(?:Replaced|Changed|Replaces|Changes) /m.test(readFileSync(join(root, page), 'utf8'))
  expect(pages.filter(isHistory)).toEqual([])
})

for (const language of ['en', 'pt-BR']) {
  test(`the page of settings in docs/${language} has the settings of the example file, and no other`, () => {
    const namesIn = (text: string, pattern: RegExp) => new Set([...text.matchAll(pattern)].map(([, name]) => name))
    const example = readFileSync(join(root, 'agent.example.env'), 'utf8')
    const page = readFileSync(join(root, 'docs', language, 'operations', 'settings.md'), 'utf8')
    const rows = [...page.matchAll(/^\| (`.*?) \|/gm)].map(([, names = '']) => names).join('\n')
    expect(namesIn(rows, /`([A-Z_]+)`/g)).toEqual(namesIn(example, /^#?([A-Z_]+)=/gm))
  })
}

test('a file that is not there is found', () => {
  expect(pathsIn('See `agent/gone.ts`, `npm test` and `README.md`.')).toEqual(['agent/gone.ts'])
})

/** The names in code spans of the first column of a page's tables. */
function firstColumn(page: string): string[] {
  const cells = [...page.matchAll(/^\| ([^|]*) \|(?!.*\n\|-)/gm)].map(([, cell = '']) => cell)
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
}

for (const language of ['en', 'pt-BR']) {
  const read = (page: string) => readFileSync(join(root, 'docs', language, page), 'utf8')

  test(`docs/${language} has every problem on the way to the platform, by its kind`, () => {
    expect(firstColumn(read('operations/network.md')).sort()).toEqual(Object.keys(problemTable).sort())
  })

  test(`docs/${language} has every stage of check`, () => {
    const stages = firstColumn(read('operations/check.md')).filter((name) => !/^(?:ok.*|\?|wrong|errado)$/.test(name))
    expect(stages.sort()).toEqual([...checkNames].sort())
  })

  test(`docs/${language} has every HTTP status with which /call can answer`, () => {
    const rows = [...read('calls.md').matchAll(/^\| (\d{3}(?:, \d{3})*) \|/gm)].flatMap(([, cell = '']) =>
      cell.split(', '),
    )
    expect(rows.map(Number)).toEqual([400, 401, 403, 404, 405, 408, 413, 415, 431, 500, 503])
  })
}
