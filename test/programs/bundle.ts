import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

const root = join(import.meta.dirname, '..', '..')
/** In the repository, because the stub looks for fonts in its packages. Always the same, so that Node's cache is of use. */
const folder = join(root, 'node_modules', '.cache', 'test-programs')

/**
 * Bundles both programs as they are now, because a bundle starts in a third of the time. `our-programs.ts` starts
 * these from then on, in the processes that this one starts too.
 */
export function bundlePrograms(): void {
  const unfinished = `${folder}.${process.pid}`
  execFileSync(process.execPath, [join(root, 'esbuild.config.mjs'), unfinished], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  mkdirSync(folder, { recursive: true })
  for (const name of ['market-agent.mjs', 'platform-stub.mjs']) renameSync(join(unfinished, name), join(folder, name))
  rmSync(unfinished, { recursive: true })
  for (const assets of ['styles', 'browser']) {
    const link = join(folder, assets)
    if (!existsSync(link)) symlinkSync(join(root, 'platform-stub', 'pages', assets), link)
  }
  process.env['TEST_PROGRAMS_DIR'] = folder
}

/** Before all tests, and again when they are watched and a file has changed. */
export function setup(project: TestProject): void {
  bundlePrograms()
  project.onTestsRerun(bundlePrograms)
}
