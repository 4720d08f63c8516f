import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'
import { copyDocuments } from '../../scripts/release/documents.ts'

test("a package has the operators' pages in both languages, and every page and file that they name", () => {
  const dir = mkdtempSync(join(tmpdir(), 'market-agent-documents-'))
  copyDocuments(dir)
  const files = new Set(globSync('**/*', { cwd: dir }))
  for (const tree of ['docs/en/operations', 'docs/pt-BR/operations']) {
    const pages = [...files].filter((file) => file.startsWith(`${tree}/`))
    expect(pages.length).toBeGreaterThan(15)
    const named = pages.flatMap((page) => {
      const links = readFileSync(join(dir, page), 'utf8').matchAll(/\]\((?!https?:)([^)#\s]+)/g)
      return [...links].map(([, link = '']) => normalize(join(dirname(page), link)))
    })
    // They are next to the guides under other names, or are about the program's inside.
    const absent = new Set(named.filter((file) => !files.has(file)))
    const changes = tree.includes('pt-BR') ? 'CHANGELOG.pt-BR.md' : 'CHANGELOG.md'
    expect([...absent].sort()).toEqual([changes, 'docs/reliability.md'])
  }
  rmSync(dir, { recursive: true })
})
