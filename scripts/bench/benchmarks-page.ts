import { readFileSync, writeFileSync } from 'node:fs'

/** Replaces a section's text between its markers, `<!-- bench:NAME -->` and `<!-- /bench:NAME -->`. */
export function writeIntoPage(file: string, sectionName: string, text: string): void {
  const [opening, closing] = [`<!-- bench:${sectionName} -->`, `<!-- /bench:${sectionName} -->`]
  const [before, rest = ''] = readFileSync(file, 'utf8').split(opening)
  const [, after] = rest.split(closing)
  if (after === undefined) throw new Error(`${file} has no line ${opening} with ${closing} after it`)
  writeFileSync(file, `${before}${opening}\n${text}\n${closing}${after}`)
}
