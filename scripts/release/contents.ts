import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Metafile } from 'esbuild'
import { hostTarget, lockedPackage, nodeLicenceFile } from './base-executable.ts'
import { root } from './build-error.ts'
import { bundleDir, type Program } from './executable.ts'

/** A package of which something is inside an executable. */
export interface Part {
  readonly name: string
  readonly version: string
  /** As an SPDX expression. */
  readonly licence: string
  readonly licenceText: string
}

/** The npm packages inside a program: from its bundle and from the files that its pages need. Sorted by name. */
export function packagesInside({ name, assets }: Program): Part[] {
  const metafile = JSON.parse(readFileSync(join(bundleDir, 'contents.json'), 'utf8')) as Metafile
  const bundled = Object.entries(metafile.outputs[`dist/bundle/${name}.mjs`]?.inputs ?? {})
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([file]) => resolve(root, file))
  const dirs = new Set([...bundled, ...Object.values(assets)].flatMap((file) => packageDir(file) ?? []))
  return [...dirs].map(readPart).sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Node itself. Its licence text names everything that is inside it. */
export function nodeInside(): Part {
  return {
    name: 'node',
    version: lockedPackage(hostTarget).version,
    licence: 'MIT',
    licenceText: readFileSync(nodeLicenceFile(), 'utf8').trim(),
  }
}

/** The directory of the package that a file belongs to; undefined for a file of the project. */
export function packageDir(file: string): string | undefined {
  return /^.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+(?=[/\\])/.exec(file)?.[0]
}

function readPart(dir: string): Part {
  const { name, version, license } = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8')) as {
    name: string
    version: string
    license?: string
  }
  const texts = readdirSync(dir)
    .filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
    .sort()
    .map((file) => readFileSync(join(dir, file), 'utf8').trim())
  if (texts.length === 0) texts.push(...licenceInReadme(dir))
  if (license === undefined && texts.length === 0) throw new Error(`${name} names no licence: look at ${dir}`)
  return {
    name,
    version,
    licence: license ?? 'see the text',
    licenceText: texts.join('\n\n') || `The package holds no licence text. Its package.json says: ${license}.`,
  }
}

/** Some packages have their licence at the end of their README. */
function licenceInReadme(dir: string): readonly string[] {
  const readme = join(dir, 'README.md')
  const text = existsSync(readme) ? readFileSync(readme, 'utf8') : ''
  return [...text.matchAll(/^#+ licen[cs]e\s+([^#]*copyright[^#]*)$/gim)].map(([, licence = '']) => licence.trim())
}
