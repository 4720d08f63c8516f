import { lstatSync, mkdirSync, renameSync, rmSync, type Stats, statfsSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { hostFiles } from '../durable-files/host-files.ts'
import { unfinishedIn } from '../durable-files/replace-file.ts'
import { causeOf, codeOf, cureOf, problemOf } from '../durable-files/system-errors.ts'
import { cures } from '../language/cures.ts'
import { say } from '../language/say.ts'
import { right, type Verdict, wrong } from './check.ts'

/** What is known about a directory. */
export type DirFacts =
  | { readonly at: 'there'; readonly stat: Stats; readonly freeBytes: number; readonly network: string | undefined }
  /** `parent` is the nearest directory above it that exists, `error` says why nothing can be made in it. */
  | { readonly at: 'missing'; readonly parent: string; readonly error: Error | undefined }
  | { readonly at: 'unusable'; readonly error: Error }

/** Looks at a directory. A missing one is not made; a trial shows whether it could be made. */
export function probeDir(path: string): DirFacts {
  try {
    const stat = statSync(path, { throwIfNoEntry: false })
    if (!stat) return missing(path)
    if (!stat.isDirectory()) throw Object.assign(new Error('not a directory'), { code: 'ENOTDIR' })
    const { bavail, bsize, type } = statfsSync(path)
    return { at: 'there', stat, freeBytes: bavail * bsize, network: networkFileSystem(type, path) }
  } catch (error) {
    return { at: 'unusable', error: error as Error }
  }
}

function missing(path: string): DirFacts {
  let parent = resolve(path)
  while (!statSync(parent, { throwIfNoEntry: false }) && dirname(parent) !== parent) {
    // `mkdir` does not follow a link whose target is missing.
    if (lstatSync(parent, { throwIfNoEntry: false })) throw Object.assign(new Error(parent), { code: 'EEXIST' })
    parent = dirname(parent)
  }
  return { at: 'missing', parent, error: errorOf(() => tryToMakeIn(parent)) }
}

/**
 * Makes a hidden directory and a file in it, gives the file another name, and removes all of it. Rights say little by
 * themselves: root may write everywhere, and yet nothing can be made in `/sys`.
 *
 * @throws {NodeJS.ErrnoException}
 */
export function tryToMakeIn(parent: string): void {
  const dir = unfinishedIn(hostFiles, parent)
  mkdirSync(dir, { mode: 0o700 })
  try {
    writeFileSync(join(dir, 'probe'), '', { flag: 'wx' })
    renameSync(join(dir, 'probe'), join(dir, 'renamed'))
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** Network file systems by the number that Linux gives them, and paths that Windows gives to shares. */
const networkTypes: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB 2'],
  [0x01021997, '9P'],
  [0x5346414f, 'AFS'],
  [0x6b414653, 'AFS'],
  [0x00c36400, 'Ceph'],
  [0x73757245, 'Coda'],
  [0x47504653, 'GPFS'],
  [0x0bd00bd0, 'Lustre'],
  [0x01161970, 'GFS2'],
  [0x7461636f, 'OCFS2'],
])

/** The name of a network file system; undefined for a local one. */
export function networkFileSystem(type: number, path: string): string | undefined {
  return path.startsWith('\\\\') ? say`a share` : networkTypes.get(type)
}

/** What an act throws; undefined if it throws nothing. */
export function errorOf(act: () => unknown): Error | undefined {
  try {
    act()
    return undefined
  } catch (error) {
    return error as Error
  }
}

/** A system error in the words of its table. */
export function wrongBy(path: string, error: Error): Verdict {
  return wrong(`${path}: ${problemOf(error)} (${causeOf(error)})`, cureOf(error))
}

/** A directory that the agent makes at its start. */
export function judgeMissing(path: string, { parent, error }: DirFacts & { at: 'missing' }): Verdict {
  return error
    ? wrong(
        say`${path} does not exist, and ${parent} cannot be written (${causeOf(error)})`,
        codeOf(error) === 'EACCES' ? cures.makeDir(path) : cureOf(error),
      )
    : right(say`${path} does not exist yet; the first start makes it`)
}

/** A directory whose locks and renames cannot be relied on. */
export function judgeNetwork(path: string, network: string): Verdict {
  return wrong(say`${path} is on a network file system (${network})`, cures.useLocalDisk())
}

/** 12.3 GiB. */
export function shownBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)))
  const value = bytes / 1024 ** step
  return `${step === 0 ? value : value.toFixed(1)} ${units[step]}`
}
