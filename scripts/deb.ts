/** `npm run deb [-- amd64 arm64]`: makes dist/deb/market-agent_VERSION_ARCHITECTURE.deb. Needs only dpkg-deb. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Target } from './release/base-executable.ts'
import { reportingBuildErrors, root } from './release/build-error.ts'
import { debianVersion, writeDebianPackage } from './release/debian-package.ts'
import { buildExecutable, bundlePrograms, megabytes, output, programs } from './release/executable.ts'
import { licencesText } from './release/licences.ts'
import { readBuildVersion } from './release/version.ts'

const architectures = { amd64: 'linux-x64', arm64: 'linux-arm64' } as const satisfies Record<string, Target>

const dir = join(output, 'deb')
const build = readBuildVersion()
const all = Object.keys(architectures) as (keyof typeof architectures)[]
const wanted = process.argv.length > 2 ? all.filter((name) => process.argv.includes(name)) : all

await reportingBuildErrors(() => {
  mkdirSync(dir, { recursive: true })
  bundlePrograms()
  const [agent] = programs
  if (!agent) return
  for (const architecture of wanted) {
    const file = join(dir, `market-agent_${debianVersion(build)}_${architecture}.deb`)
    console.log(`${relative(root, file)} …, half a minute`)
    const executable = join(dir, `market-agent.${architecture}`)
    buildExecutable(agent, architectures[architecture], executable)
    writeDebianPackage(file, {
      architecture,
      build,
      executable,
      completion: { bash: completionFor('bash'), zsh: completionFor('zsh') },
      licences: licencesText(agent),
    })
    rmSync(executable)
    console.log(`  ${megabytes(file)}`)
  }
})

function completionFor(shell: string): string {
  return execFileSync(process.execPath, [join(root, 'agent', 'main.ts'), 'completion', shell], { encoding: 'utf8' })
}
