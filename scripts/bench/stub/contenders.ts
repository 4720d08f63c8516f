import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const prismFolder = join(import.meta.dirname, '..', 'prism')
const prismProgram = join(prismFolder, 'node_modules', '@stoplight', 'prism-cli', 'dist', 'index.js')

/** A command line for a port. */
export type CommandOn = (port: number) => readonly string[]

/** The stub's command line. All stubs of the benchmark give out the same credentials. */
export function stubOn(dataDir: string, stubCommand: readonly string[]): CommandOn {
  return (port) => [...stubCommand, 'serve', '--port', String(port), '--seed', 'bench', '--data-dir', dataDir]
}

/**
 * Prism's command line, for the document that the stub prints. Its log costs more than its answers, so it is off.
 *
 * Prism is a package of its own, because it would more than double the project's packages. The first benchmark that
 * needs it installs it.
 */
export function prismOn(dir: string, stubCommand: readonly string[], progress: (what: string) => void): CommandOn {
  if (!existsSync(prismProgram)) {
    progress('installing Prism (npm ci in scripts/bench/prism)')
    execFileSync('npm', ['ci'], { cwd: prismFolder, stdio: ['ignore', 'ignore', 'inherit'] })
  }
  const document = join(dir, 'openapi.json')
  const [file = '', ...args] = stubCommand
  writeFileSync(document, execFileSync(file, [...args, 'openapi']))
  const mock = [process.execPath, prismProgram, 'mock', '--verboseLevel', 'silent', document]
  return (port) => [...mock, '--port', String(port)]
}
