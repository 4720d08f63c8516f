/**
 * `npm run build`: makes dist/market-agent and dist/platform-stub, each one executable that needs nothing else, for
 * the machine it runs on.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { assetFiles } from '../platform-stub/pages/assets.ts'
import { agentExecArgv } from './programs.ts'

type Program = { name: string; execArgv: readonly string[]; assets?: Readonly<Record<string, string>> }

const root = dirname(import.meta.dirname)
const output = join(root, 'dist')
const cache = join(root, 'node_modules', '.cache', 'market-agent')

const programs: Program[] = [
  { name: 'market-agent', execArgv: agentExecArgv },
  { name: 'platform-stub', execArgv: ['--disable-sigusr1'], assets: assetFiles() },
]

/** Why the executables could not be made, and what to do about it. */
class BuildError extends Error {
  override readonly name = 'BuildError'
  readonly code: 'BASE_MISSING' | 'COMMAND_FAILED'
  readonly remedy: string

  constructor(code: BuildError['code'], problem: string, remedy: string, cause: unknown) {
    super(problem, { cause })
    this.code = code
    this.remedy = remedy
  }
}

/** The Node executable that comes with the install for this machine, without its symbols where that can be done. */
function baseExecutable(): string {
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  const base = installedNode(name)
  if (process.platform !== 'linux') return base.file

  const stripped = join(cache, `${name}-${base.version}`)
  if (existsSync(stripped)) return stripped
  const unfinished = `${stripped}.${process.pid}`
  mkdirSync(cache, { recursive: true })
  try {
    // Now, not afterwards: stripping a finished executable breaks it.
    execFileSync('strip', ['-o', unfinished, base.file], { stdio: 'pipe' })
    renameSync(unfinished, stripped)
    return stripped
  } catch (error) {
    rmSync(unfinished, { force: true })
    const [reason] = String(error instanceof Error ? error.message : error).split('\n')
    console.warn(`Not stripped, so 33 MB larger: ${reason} (\`strip\` comes with the package binutils)`)
    return base.file
  }
}

function installedNode(name: string): { file: string; version: string } {
  try {
    const file = fileURLToPath(import.meta.resolve(`${name}/package.json`))
    const manifest = JSON.parse(readFileSync(file, 'utf8')) as { version: string; bin: { node: string } }
    return { file: join(dirname(file), manifest.bin.node), version: manifest.version }
  } catch (error) {
    throw new BuildError(
      'BASE_MISSING',
      `The base executable for this machine, the npm package ${name}, is not installed.`,
      'Run `npm ci` with optional dependencies, on linux-x64, linux-arm64 or win-x64.',
      error,
    )
  }
}

function buildExecutable(base: string, { name, execArgv, assets = {} }: Program): string {
  const bundle = join(output, 'bundle', name)
  const config = `${bundle}.json`
  const executable = join(output, process.platform === 'win32' ? `${name}.exe` : name)
  writeFileSync(
    config,
    JSON.stringify({
      main: `${bundle}.mjs`,
      mainFormat: 'module',
      executable: base,
      output: bundle,
      disableExperimentalSEAWarning: true,
      useCodeCache: true,
      execArgv,
      execArgvExtension: 'none',
      assets,
    }),
  )
  // The base runs the build itself, for builder and base must be the same version and the same machine's.
  run(base, ['--build-sea', config], 'Remove dist and node_modules/.cache, then run `npm run build` again.')
  // Replaced in one step, so that a program still running from the old file is no obstacle.
  renameSync(bundle, executable)
  return executable
}

function run(file: string, args: string[], remedy: string): void {
  try {
    execFileSync(file, args, { cwd: root, stdio: 'pipe' })
  } catch (error) {
    const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
    const command = [basename(file), ...args].join(' ')
    throw new BuildError('COMMAND_FAILED', `\`${command}\` failed. ${stderr || String(error)}`, remedy, error)
  }
}

try {
  run(process.execPath, ['esbuild.config.mjs'], 'Mend what esbuild names above; `npx tsc` tells more.')
  const base = baseExecutable()
  for (const program of programs) {
    const executable = buildExecutable(base, program)
    console.log(`${relative(root, executable)}  ${Math.round(statSync(executable).size / 1e6)} MB`)
  }
} catch (error) {
  if (!(error instanceof BuildError)) throw error
  console.error(`${error.message}\n${error.remedy}`)
  process.exitCode = 1
}
