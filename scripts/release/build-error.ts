import { execFileSync, type StdioOptions } from 'node:child_process'
import { basename, dirname } from 'node:path'

/** The repository. */
export const root = dirname(dirname(import.meta.dirname))

/** Why the executables could not be made, and what to do about it. */
export class BuildError extends Error {
  override readonly name = 'BuildError'
  readonly code: 'BASE_MISSING' | 'BASE_ALTERED' | 'COMMAND_FAILED' | 'TOO_LARGE'
  readonly remedy: string

  constructor(code: BuildError['code'], problem: string, remedy: string, cause?: unknown) {
    super(problem, { cause })
    this.code = code
    this.remedy = remedy
  }
}

/**
 * Runs a command in the repository and returns what it printed.
 *
 * @throws {BuildError} It failed. The error holds what the command wrote to standard error.
 */
export function runCommand(file: string, args: readonly string[], remedy: string, env?: NodeJS.ProcessEnv): string {
  const stdio: StdioOptions = ['ignore', 'pipe', 'pipe']
  try {
    return execFileSync(file, args, {
      cwd: root,
      stdio,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      ...(env && { env }),
    })
  } catch (error) {
    const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
    const command = [basename(file), ...args].join(' ')
    throw new BuildError('COMMAND_FAILED', `\`${command}\` failed. ${stderr || String(error)}`, remedy, error)
  }
}

/** Runs the steps of a build. A `BuildError` is printed with its remedy and sets exit code 1. */
export async function reportingBuildErrors(steps: () => void | Promise<void>): Promise<void> {
  try {
    await steps()
  } catch (error) {
    if (!(error instanceof BuildError)) throw error
    console.error(`${error.message}\n${error.remedy}`)
    process.exitCode = 1
  }
}
