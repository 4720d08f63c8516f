import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..', '..')

/** Names of the headings of a page, as its links spell them. */
function anchorsOf(page: string): Set<string> {
  const headings = readFileSync(page, 'utf8').matchAll(/^#+ (.*)$/gm)
  return new Set(
    [...headings].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )
}

/** Links of a page that lead nowhere. */
function brokenLinks(page: string): string[] {
  const links = [...readFileSync(page, 'utf8').matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(#[^)\s]*)?\)/g)]
  return links
    .filter(([, path = '', anchor]) => {
      const target = path === '' ? page : join(dirname(page), path)
      return !existsSync(target) || (anchor !== undefined && !anchorsOf(target).has(anchor.slice(1)))
    })
    .map(([link]) => `${relative(root, page)}: ${link}`)
}

test('every link in the documents points to a page and a heading that are there', () => {
  const pages = globSync(['*.md', 'docs/**/*.md', 'examples/**/*.md'], { cwd: root }).map((page) => join(root, page))
  expect(pages.length).toBeGreaterThan(30)
  expect(pages.flatMap(brokenLinks)).toEqual([])
})

test('every alert names a chapter that is there', () => {
  const rules = readFileSync(join(root, 'docs', 'operations', 'monitoring', 'alerts.rules.yml'), 'utf8')
  const chapters = [...rules.matchAll(/page: "([^"#]+)#([^"]+)"/g)]
  expect(chapters).toHaveLength(rules.match(/- alert:/g)?.length ?? Number.NaN)
  const absent = chapters.filter(([, page = '', anchor = '']) => !anchorsOf(join(root, page)).has(anchor))
  expect(absent).toEqual([])
})
