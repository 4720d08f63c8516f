import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BuildError, root, runCommand } from './build-error.ts'

/** The systems that executables are built for. */
export const targets = ['linux-x64', 'linux-arm64', 'win-x64'] as const
export type Target = (typeof targets)[number]

/** The system that the build runs on. */
export const hostTarget = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}` as Target

/** Packages that are unpacked once and used by each build after that. */
const cache = join(root, 'node_modules', '.cache', 'market-agent')

interface LockedPackage {
  readonly version: string
  readonly integrity: string
}

/** The Node executable for one system, without its symbols where they can be removed. */
export function baseExecutable(target: Target): string {
  const { version } = lockedPackage(target)
  const stripped = join(cache, `${packageName(target)}-${version}`)
  if (existsSync(stripped)) return stripped
  const { node } = installedNode(target) ?? fetchNode(target)
  if (!target.startsWith('linux')) return node
  return strip(target, node, stripped) ? stripped : node
}

/** The licence text of Node and of everything that is inside Node. */
export function nodeLicenceFile(): string {
  const installed = installedNode(hostTarget)
  return join((installed ?? fetchNode('linux-x64')).dir, 'LICENSE')
}

/** Version and checksum of the Node inside, from the lock file. */
export function lockedPackage(target: Target): LockedPackage {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>
  }
  const locked = lock.packages[`node_modules/${packageName(target)}`]
  if (locked) return locked
  throw new BuildError(
    'BASE_MISSING',
    `package-lock.json has no npm package ${packageName(target)}: no executable can be built for ${target}.`,
    `Build for one of ${targets.join(', ')}.`,
  )
}

const packageName = (target: Target) => `node-${target}`

interface UnpackedNode {
  readonly dir: string
  readonly node: string
}

function unpackedNode(dir: string): UnpackedNode {
  const { bin } = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8')) as { bin: { node: string } }
  return { dir, node: join(dir, bin.node) }
}

/** The package as npm installed it; npm installs only the one for its own system. */
function installedNode(target: Target): UnpackedNode | undefined {
  try {
    return unpackedNode(dirname(fileURLToPath(import.meta.resolve(`${packageName(target)}/package.json`))))
  } catch {
    return undefined
  }
}

/** Fetches the package of another system with npm, and unpacks it if its checksum is that of the lock file. */
function fetchNode(target: Target): UnpackedNode {
  const { version, integrity } = lockedPackage(target)
  const spec = `${packageName(target)}@${version}`
  const dir = join(cache, `${packageName(target)}-${version}.package`)
  if (existsSync(dir)) return unpackedNode(dir)

  const unfinished = `${dir}.${process.pid}`
  mkdirSync(unfinished, { recursive: true })
  try {
    console.log(`Fetching ${spec}, some 50 MB, once`)
    const remedy = 'Check that npm reaches its registry, then run this again.'
    const [packed] = JSON.parse(
      runCommand('npm', ['pack', '--json', '--pack-destination', unfinished, spec], remedy),
    ) as [{ filename: string }]
    const archive = join(unfinished, packed.filename)
    checkIntegrity(archive, integrity)
    runCommand('tar', ['--extract', '--file', archive, '--directory', unfinished], 'Install tar.')
    renameSync(join(unfinished, 'package'), dir)
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
  return unpackedNode(dir)
}

/**
 * Compares a fetched package with its checksum in the lock file.
 *
 * @throws {BuildError} It is another file.
 */
export function checkIntegrity(archive: string, integrity: string): void {
  const found = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`
  if (found === integrity) return
  throw new BuildError(
    'BASE_ALTERED',
    `${basename(archive)} is not the package of package-lock.json: ${found} in place of ${integrity}.`,
    'Do not use it. Find out who altered the package or the lock file.',
  )
}

/** Removes the symbols. Before the build, because stripping a finished executable breaks it. */
function strip(target: Target, node: string, stripped: string): boolean {
  const [command, debianPackage] =
    target === hostTarget
      ? ['strip', 'binutils']
      : target === 'linux-arm64'
        ? ['aarch64-linux-gnu-strip', 'binutils-aarch64-linux-gnu']
        : ['x86_64-linux-gnu-strip', 'binutils-x86-64-linux-gnu']
  const unfinished = `${stripped}.${process.pid}`
  mkdirSync(cache, { recursive: true })
  try {
    runCommand(command, ['-o', unfinished, node], '')
    renameSync(unfinished, stripped)
    return true
  } catch (error) {
    rmSync(unfinished, { force: true })
    const [reason] = String(error instanceof Error ? error.message : error).split('\n')
    console.warn(
      `${target} is not stripped, so it is 33 MB larger: ${reason} (Debian: apt-get install ${debianPackage})`,
    )
    return false
  }
}
