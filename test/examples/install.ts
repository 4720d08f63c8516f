import { execFileSync, spawnSync } from 'node:child_process'
import type { Example } from './examples.ts'

/** Whether everything is there that an example needs. */
export function isInstalled({ needs }: Example): boolean {
  return needs.every(([file = '', ...args]) => spawnSync(file, args, { stdio: 'ignore' }).status === 0)
}

/** Installs Debian's packages of examples. Needs root. */
export function install(examples: readonly Example[]): void {
  const packages = [...new Set(examples.flatMap((example) => example.packages))]
  if (packages.length === 0) return
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const aptGet = (...args: string[]) => execFileSync('apt-get', args, { env, stdio: ['ignore', 'ignore', 'inherit'] })
  console.log(`Installing ${packages.join(' ')}`)
  aptGet('update', '-qq')
  aptGet('install', '-y', '-qq', '--no-install-recommends', ...packages)
}
