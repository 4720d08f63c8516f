import { readFileSync, writeFileSync } from 'node:fs'

/**
 * Replaces a section's text between its markers, `<!-- bench:NAME -->` and `<!-- /bench:NAME -->`. A page without these
 * markers gets them at its end.
 */
export function writeIntoPage(file: string, sectionName: string, text: string): void {
  const page = readFileSync(file, 'utf8')
  const [opening, closing] = [`<!-- bench:${sectionName} -->`, `<!-- /bench:${sectionName} -->`]
  const block = `${opening}\n${text}\n${closing}`
  const [from, to] = [page.indexOf(opening), page.indexOf(closing)]
  const isThere = from >= 0 && to > from
  writeFileSync(
    file,
    isThere ? page.slice(0, from) + block + page.slice(to + closing.length) : `${page.trimEnd()}\n\n${block}\n`,
  )
}
