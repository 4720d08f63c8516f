import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

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
