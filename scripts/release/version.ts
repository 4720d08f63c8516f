import { execFileSync } from 'node:child_process'
import manifest from '../../package.json' with { type: 'json' }
import { root } from './build-error.ts'

/** What a build is called, and the moment that it carries as its date. */
export interface BuildVersion {
  /** `1.2.0` at the tag `v1.2.0`; `1.2.0+g0a1b2c3d4e5f` at another commit; `….dirty` with changes on top of it. */
  readonly version: string
  /** Unix time of the commit in seconds; 0 outside a checkout. */
  readonly commitTimeS: number
}

/** Reads the version from git. Outside a checkout it is the one of package.json. */
export function readBuildVersion(): BuildVersion {
  const commitTime = git('log', '-1', '--format=%ct')
  if (commitTime === undefined) return { version: manifest.version, commitTimeS: 0 }
  return {
    version: versionFrom({
      packageVersion: manifest.version,
      tag: git('describe', '--tags', '--exact-match', '--match', 'v[0-9]*'),
      commit: git('rev-parse', '--short=12', 'HEAD') ?? '',
      isDirty: git('status', '--porcelain', '--untracked-files=no') !== '',
    }),
    commitTimeS: Number(commitTime),
  }
}

/** What git says about the sources of a build. */
export interface SourceState {
  readonly packageVersion: string
  /** A tag `v…` on this commit. */
  readonly tag: string | undefined
  readonly commit: string
  readonly isDirty: boolean
}

/** The version as SemVer: the tag, or the package's version with the commit as build metadata. */
export function versionFrom({ packageVersion, tag, commit, isDirty }: SourceState): string {
  if (tag !== undefined && !isDirty) return tag.slice(1)
  return `${packageVersion}+g${commit}${isDirty ? '.dirty' : ''}`
}

function git(...args: string[]): string | undefined {
  try {
    return execFileSync('git', args, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8' }).trim()
  } catch {
    return undefined
  }
}
