/**
 * `npm run build`: makes dist/market-agent and dist/platform-stub, each one executable that needs nothing else, for
 * the machine it runs on. `npm run build -- linux-arm64` makes those of another system, in dist/linux-arm64.
 */
import { join, relative } from 'node:path'
import { hostTarget, targets } from './release/base-executable.ts'
import { reportingBuildErrors, root } from './release/build-error.ts'
import { buildExecutable, bundlePrograms, executableName, megabytes, output, programs } from './release/executable.ts'

const other = targets.find((target) => process.argv.includes(target))
const target = other ?? hostTarget

await reportingBuildErrors(() => {
  bundlePrograms()
  for (const program of programs) {
    const executable = join(output, other ?? '', executableName(program.name, target))
    buildExecutable(program, target, executable)
    console.log(`${relative(root, executable)}  ${megabytes(executable)}`)
  }
})
