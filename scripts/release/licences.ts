import { nodeInside, type Part, packagesInside } from './contents.ts'
import type { Program } from './executable.ts'

const rule = '='.repeat(80)

/** The licences of everything that is inside a program's executable, as one text. */
export function licencesText(program: Program): string {
  const parts = [nodeInside(), ...packagesInside(program)]
  const list = parts.map(({ name, version, licence }) => `  ${name} ${version} (${licence})`)
  return [`The executable ${program.name} contains:\n\n${list.join('\n')}\n`, ...parts.map(section)].join('\n')
}

function section({ name, version, licence, licenceText }: Part): string {
  return `${rule}\n${name} ${version}: ${licence}\n${rule}\n\n${licenceText}\n`
}
