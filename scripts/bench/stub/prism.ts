import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '..', 'prism')
const program = join(folder, 'node_modules', '@stoplight', 'prism-cli', 'dist', 'index.js')

/**
 * Prism, from its own package beside the project's: with it `npm ci` would bring 350 packages in place of 140. It is
 * installed when the first benchmark asks for it.
 *
 * @returns Its program file.
 * @throws {Error} It could not be installed.
 */
export function installedPrism(progress: (what: string) => void): string {
  if (!existsSync(program)) {
    progress('installing Prism (npm ci in scripts/bench/prism)')
    execFileSync('npm', ['ci'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  }
  return program
}
