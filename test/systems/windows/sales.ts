import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { PromiseGroup } from './promises.ts'

const root = join(import.meta.dirname, '..', '..', '..')

/** Runs a program of this repository to its end; what it prints is seen. */
const run = (...args: readonly string[]) => execFileSync(process.execPath, args, { cwd: root, stdio: 'inherit' })

/** The bridge in its three ways, and the refund. */
export const demo: PromiseGroup = {
  name: 'demo',
  test: (holds) =>
    holds('the demo sells over HTTP, with files and by asking', async () => {
      run(join('scripts', 'demo.ts'), '--binary')
    }),
}

/** The example in the language of `cmd`, with an agent and a stub that are executables. */
export const batchExample: PromiseGroup = {
  name: 'batch',
  test: (holds) =>
    holds('the batch example passes the course of the examples', async () => {
      run(join('test', 'examples', 'run.ts'), 'batch-files')
    }),
}
