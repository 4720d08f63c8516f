import { createHash } from 'node:crypto'
import { runCommand } from './build-error.ts'
import { nodeInside, packagesInside } from './contents.ts'
import type { Program } from './executable.ts'
import type { BuildVersion } from './version.ts'

/** What this page reads and writes of CycloneDX 1.5; the rest stays as npm wrote it. */
export interface CycloneDx {
  serialNumber: string
  metadata: { timestamp: string; component: Record<string, unknown>; lifecycles: { phase: string }[] }
  components: Component[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

interface Component {
  'bom-ref': string
  name: string
  version: string
  components?: Component[]
}

/**
 * The list of parts of a program, as CycloneDX. npm writes it for everything that is installed; what is not inside the
 * executable is left out, and Node is added. Time and serial number follow from the commit, so that two builds of one
 * commit are equal.
 */
export function partsList(program: Program, { version, commitTimeS }: BuildVersion): CycloneDx {
  // Without `--omit dev`: it leaves out what both the programs and their tools use, zod for one.
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only']
  const installed = JSON.parse(runCommand('npm', args, 'npm 9.8 or newer is needed.')) as CycloneDx
  const inside = new Set(packagesInside(program).map(({ name, version: of }) => `${name}@${of}`))
  const ref = `${program.name}@${version}`
  const components = installed.components.filter(({ name, version: of }) => inside.has(`${name}@${of}`))
  const missing = [...inside].filter((part) => !components.some(({ name, version: of }) => part === `${name}@${of}`))
  if (missing.length > 0) throw new Error(`npm's list lacks what is in the bundle: ${missing.join(', ')}`)

  const refs = new Set(components.map((component) => component['bom-ref']))
  const serial = createHash('sha256')
    .update(`${ref}\n${[...inside].join('\n')}`)
    .digest('hex')
  return {
    ...installed,
    serialNumber: `urn:uuid:${serial.slice(0, 8)}-${serial.slice(8, 12)}-5${serial.slice(13, 16)}-8${serial.slice(17, 20)}-${serial.slice(20, 32)}`,
    metadata: {
      ...installed.metadata,
      timestamp: new Date(commitTimeS * 1000).toISOString(),
      lifecycles: [{ phase: 'build' }],
      component: {
        'bom-ref': ref,
        type: 'application',
        name: program.name,
        version,
        licenses: [{ license: { id: 'MIT' } }],
      },
    },
    components: [nodeComponent(), ...components],
    dependencies: [
      { ref, dependsOn: [nodeComponent()['bom-ref'], ...refs] },
      ...installed.dependencies
        .filter((dependency) => refs.has(dependency.ref))
        .map((dependency) => ({ ...dependency, dependsOn: dependency.dependsOn.filter((other) => refs.has(other)) })),
    ],
  }
}

/** Node with the libraries inside it, so that a scanner finds a hole in its OpenSSL too. */
function nodeComponent(): Component & { licenses: unknown; purl: string; type: string } {
  const { version } = nodeInside()
  const notLibraries = ['node', 'modules', 'napi', 'ares', 'uvwasi', 'amaro']
  const libraries = Object.entries(process.versions).filter(([name]) => !notLibraries.includes(name))
  return {
    'bom-ref': `node@${version}`,
    type: 'platform',
    name: 'node',
    version,
    purl: `pkg:generic/node@${version}`,
    licenses: [{ license: { id: 'MIT' } }],
    components: libraries.map(([name, of = '']) => ({
      'bom-ref': `node@${version}/${name}@${of}`,
      type: 'library',
      name,
      version: of,
      purl: `pkg:generic/${name}@${of}`,
    })),
  }
}
