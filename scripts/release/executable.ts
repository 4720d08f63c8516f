import { mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { assetFiles } from '../../platform-stub/pages/assets.ts'
import { agentExecArgv } from '../programs.ts'
import { baseExecutable, hostTarget, type Target } from './base-executable.ts'
import { root, runCommand } from './build-error.ts'

/** One of the two programs, as it goes into an executable. */
export interface Program {
  readonly name: 'market-agent' | 'platform-stub'
  readonly execArgv: readonly string[]
  readonly assets: Readonly<Record<string, string>>
}

export const programs: readonly Program[] = [
  { name: 'market-agent', execArgv: agentExecArgv, assets: {} },
  { name: 'platform-stub', execArgv: ['--disable-sigusr1'], assets: assetFiles() },
]

export const output = join(root, 'dist')
export const bundleDir = join(output, 'bundle')

/** Bundles both programs into dist/bundle. */
export function bundlePrograms(): void {
  runCommand(process.execPath, ['esbuild.config.mjs'], 'Mend what esbuild names above; `npx tsc` tells more.')
}

/** Name of a program's file on a system. */
export const executableName = (name: Program['name'], target: Target) => (target === 'win-x64' ? `${name}.exe` : name)

/** Puts a bundled program into the Node of a system. Replaces `executable` in one step, so it may be running. */
export function buildExecutable({ name, execArgv, assets }: Program, target: Target, executable: string): void {
  const bundle = join(bundleDir, name)
  const unfinished = `${bundle}.${target}`
  const config = `${unfinished}.json`
  const isForeign = target !== hostTarget
  writeFileSync(
    config,
    JSON.stringify({
      main: `${bundle}.mjs`,
      mainFormat: 'module',
      executable: baseExecutable(target),
      output: unfinished,
      disableExperimentalSEAWarning: true,
      // The cache is code for the processor and the V8 that made it.
      useCodeCache: !isForeign,
      execArgv,
      execArgvExtension: 'none',
      assets,
    }),
  )
  // The host's own base runs the build: builder and base must be the same version.
  const remedy = 'Remove dist and node_modules/.cache, then run this again.'
  runCommand(baseExecutable(hostTarget), ['--build-sea', config], remedy)
  mkdirSync(dirname(executable), { recursive: true })
  renameSync(unfinished, executable)
}

/** The size of a file in whole megabytes, for people. */
export const megabytes = (file: string) => `${(statSync(file).size / 1e6).toFixed(1)} MB`
