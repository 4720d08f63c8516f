import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Puts a section's text between its markers, `<!-- bench:NAME -->` and `<!-- /bench:NAME -->`, and touches nothing else.
 * A page without them gets them at its end; a page that is missing is begun.
 */
export function writeIntoPage(file: string, sectionName: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  const page = existsSync(file) ? readFileSync(file, 'utf8') : '# Benchmarks\n'
  writeFileSync(file, withSection(page, sectionName, text))
}

function withSection(page: string, sectionName: string, text: string): string {
  const opening = `<!-- bench:${sectionName} -->`
  const closing = `<!-- /bench:${sectionName} -->`
  const block = `${opening}\n${text}\n${closing}`
  const from = page.indexOf(opening)
  const to = page.indexOf(closing, from)
  if (from < 0 || to < 0) return `${page.trimEnd()}\n\n${block}\n`
  return page.slice(0, from) + block + page.slice(to + closing.length)
}
