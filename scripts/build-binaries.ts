/**
 * `npm run build`: makes dist/market-agent and dist/platform-stub, each one executable that needs nothing else, for
 * the machine it runs on.
 */
import { join, relative } from 'node:path'
import { hostTarget } from './release/base-executable.ts'
import { reportingBuildErrors, root } from './release/build-error.ts'
import { buildExecutable, bundlePrograms, executableName, megabytes, output, programs } from './release/executable.ts'

await reportingBuildErrors(() => {
  bundlePrograms()
  for (const program of programs) {
    const executable = join(output, executableName(program.name, hostTarget))
    buildExecutable(program, hostTarget, executable)
    console.log(`${relative(root, executable)}  ${megabytes(executable)}`)
  }
})
