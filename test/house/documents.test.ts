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
  // Decisions and the changelog name the files of their own time.
  const pages = globSync(
    ['README*.md', 'CONTRIBUTING.md', 'SECURITY.md', 'docs/*.md', 'docs/{en,pt-BR}/**/*.md', 'examples/**/*.md'],
    { cwd: root },
  )
  expect(pages.length).toBeGreaterThan(30)
  const missing = pages.flatMap((page) => {
    const paths = pathsIn(readFileSync(join(root, page), 'utf8'))
    return paths.filter((path) => !existsSync(join(root, path))).map((path) => `${page} names ${path}`)
  })
  expect(missing).toEqual([])
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
