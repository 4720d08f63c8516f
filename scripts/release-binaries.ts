/**
 * `npm run binaries [-- linux-x64 linux-arm64 win-x64]`: makes the executables of both programs for every system on
 * one Linux machine. In dist/release: one folder for each system, one download (.tar.xz) for each program and system,
 * the list of parts (CycloneDX), the licences of what is inside, and SHA256SUMS.
 */
import { copyFileSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packArchive, sha256Of } from './release/archive.ts'
import { hostTarget, type Target, targets } from './release/base-executable.ts'
import { BuildError, reportingBuildErrors, root } from './release/build-error.ts'
import { copyDocuments } from './release/documents.ts'
import { buildExecutable, bundlePrograms, executableName, megabytes, output, programs } from './release/executable.ts'
import { licencesText } from './release/licences.ts'
import { partsList } from './release/sbom.ts'
import { readBuildVersion } from './release/version.ts'

/** What an administrator downloads must stay below this. */
const agentDownloadBytesMax = 32e6

const release = join(output, 'release')
const wanted = process.argv.slice(2).length > 0 ? targets.filter((name) => process.argv.includes(name)) : targets
const build = readBuildVersion()

await reportingBuildErrors(async () => {
  console.log(`market-agent and platform-stub ${build.version} for ${wanted.join(', ')}`)
  rmSync(release, { recursive: true, force: true })
  mkdirSync(release, { recursive: true })
  step('bundles', bundlePrograms)
  for (const program of programs) {
    writeFileSync(join(release, `${program.name}.LICENSES.txt`), licencesText(program))
    writeFileSync(join(release, `${program.name}.cdx.json`), `${JSON.stringify(partsList(program, build), null, 2)}\n`)
  }
  for (const target of wanted) {
    for (const program of programs) await buildDownload(program, target)
  }
  await writeSums()
  console.log(`dist/release/SHA256SUMS  ${readdirSync(release).length} entries`)
})

async function buildDownload(program: (typeof programs)[number], target: Target): Promise<void> {
  const dir = join(release, target)
  const file = executableName(program.name, target)
  const cached = target === hostTarget ? '' : ', without code cache'
  step(`${target}/${file}`, () => buildExecutable(program, target, join(dir, file)), cached)

  // The download contains the licences too: a person who passes it on has to pass them on.
  const folder = `${program.name}-${build.version}`
  const packed = join(release, '.packing', folder)
  mkdirSync(packed, { recursive: true })
  copyFileSync(join(dir, file), join(packed, file))
  copyFileSync(join(release, `${program.name}.LICENSES.txt`), join(packed, 'THIRD-PARTY-LICENSES.txt'))
  for (const name of ['LICENSE', 'CHANGELOG.md', 'CHANGELOG.pt-BR.md'])
    copyFileSync(join(root, name), join(packed, name))
  copyDocuments(packed)
  const archive = join(release, `${folder}-${target}.tar.xz`)
  step(`${folder}-${target}.tar.xz`, () => packArchive(archive, join(release, '.packing'), [folder], build.commitTimeS))
  console.log(`  ${megabytes(join(dir, file))}, packed ${megabytes(archive)}`)
  rmSync(join(release, '.packing'), { recursive: true })
  if (program.name === 'market-agent' && statSync(archive).size > agentDownloadBytesMax) {
    throw new BuildError(
      'TOO_LARGE',
      `${archive} is larger than ${agentDownloadBytesMax / 1e6} MB.`,
      'Check that the base was stripped: the lines above say so where it was not.',
    )
  }
}

async function writeSums(): Promise<void> {
  const files = readdirSync(release, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(release, name)).isFile())
    .sort()
  const lines: string[] = []
  for (const name of files) lines.push(`${await sha256Of(join(release, name))}  ${name}\n`)
  writeFileSync(join(release, 'SHA256SUMS'), lines.join(''))
}

/** Says what is being made before it is made, and how long it took: each step takes seconds. */
function step(name: string, make: () => void, remark = ''): void {
  const start = performance.now()
  process.stdout.write(`${name} …`)
  make()
  process.stdout.write(` ${((performance.now() - start) / 1000).toFixed(1)} s${remark}\n`)
}
