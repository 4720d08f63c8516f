import type { Stats } from 'node:fs'
import { join } from 'node:path'
import type { Files } from '../durable-files/files.ts'
import { unfinishedIn } from '../durable-files/replace-file.ts'
import { causeOf, cureOf } from '../durable-files/system-errors.ts'
import { cures } from '../language/cures.ts'
import { type Problem, sentenceOf } from '../language/problem.ts'
import { say } from '../language/say.ts'

/** Where a spool's files are. @see interface section 4.10 */
export interface SpoolDirs {
  readonly root: string
  readonly outbox: string
  readonly inbox: string
}

/** The spool cannot be used as it is. */
export class SpoolUnusableError extends Error {
  override readonly name = 'SpoolUnusableError'
  readonly problem: Problem

  constructor(problem: string, cure: string, options?: ErrorOptions) {
    const facts = problemOfSpool(problem, cure)
    super(sentenceOf(facts), options)
    this.problem = facts
  }
}

const problemOfSpool = (problem: string, cure: string): Problem => ({ name: 'SERVICE_SPOOL_DIR', problem, cure })

/** What a system error means for the spool. */
export function spoolUnusable({ root }: SpoolDirs, error: unknown): SpoolUnusableError {
  return new SpoolUnusableError(`${root}: ${causeOf(error as Error)}`, cureOf(error as Error), { cause: error })
}

/** The directories of the spool at `root`. Nothing is made. */
export function spoolDirs(root: string): SpoolDirs {
  return { root, outbox: join(root, 'outbox'), inbox: join(root, 'inbox') }
}

/**
 * Makes outbox and inbox where they are missing, with the root's group and mode whatever the umask is. A root that is
 * shared with a group says that this group works in them, so the group may write there.
 *
 * @returns The directories that were made, and their modes.
 */
export function makeSpoolDirs(files: Files, { root, outbox, inbox }: SpoolDirs): { dir: string; mode: string }[] {
  return makeDirsIn(files, root, [outbox, inbox])
}

/** As `makeSpoolDirs`, for other directories of the spool. */
export function makeDirsIn(files: Files, root: string, dirs: readonly string[]): { dir: string; mode: string }[] {
  const rootStat = files.statSync(root)
  const mode = isShared(rootStat, files) ? (rootStat.mode & 0o2777) | 0o070 : rootStat.mode & 0o777
  const missing = dirs.filter((dir) => !files.lstatSync(dir, { throwIfNoEntry: false }))
  return missing.map((dir) => {
    files.mkdirSync(dir)
    if (files.user) {
      try {
        if (files.statSync(dir).gid !== rootStat.gid) files.chownSync(dir, -1, rootStat.gid)
      } catch {
        // The agent is not in that group. `spoolReasons` reports it.
      }
      files.chmodSync(dir, mode)
    }
    return { dir, mode: mode.toString(8) }
  })
}

/**
 * Why requests are not read or answered, each with its cure. Empty when they are.
 *
 * @param isInDoubt Something has failed since the last time that there was no reason: so the spool is tried.
 */
export function spoolReasons(files: Files, dirs: SpoolDirs, isInDoubt: boolean): Problem[] {
  try {
    if (isInDoubt) probeSpool(files, dirs, { withSync: false })
    return reasonsAgainstSharing(files, dirs)
  } catch (error) {
    if (error instanceof SpoolUnusableError) return [error.problem]
    return [problemOfSpool(`${dirs.root}: ${causeOf(error as Error)}`, cureOf(error as Error))]
  }
}

/** Whether the root was given to a group on purpose: to a group that is not the agent's own, or with the setgid bit. */
function isShared({ mode, gid }: Stats, { user }: Files): boolean {
  return (mode & 0o2000) !== 0 || (gid !== user?.gid && (mode & 0o070) !== 0)
}

/** Why game servers of the root's group cannot use outbox and inbox, each with its cure. Empty when they can. */
function reasonsAgainstSharing(files: Files, { root, outbox, inbox }: SpoolDirs): Problem[] {
  const rootStat = files.statSync(root)
  if (!files.user || !isShared(rootStat, files)) return []
  return [outbox, inbox].flatMap((dir) => {
    const stat = files.statSync(dir, { throwIfNoEntry: false })
    // Another owner has arranged the rights in another way.
    if (!stat || stat.uid !== files.user?.uid) return []
    if (stat.gid === rootStat.gid && (stat.mode & 0o030) === 0o030) return []
    return [problemOfSpool(say`the group of ${root} may not write in ${dir}`, cures.shareDir(root, dir))]
  })
}

/** A warning with its cure, where others may write in the root and so replace outbox and inbox. */
export function warningAboutRoot(files: Files, { root }: SpoolDirs): Problem[] {
  if (!files.user || (files.statSync(root).mode & 0o022) === 0) return []
  return [
    problemOfSpool(
      say`others may write in ${root} and put other directories in the place of outbox and inbox`,
      cures.closeDir(root),
    ),
  ]
}

/**
 * Makes sure that no directory is a link. Behind a link are other programs' files.
 *
 * @throws {SpoolUnusableError} With the code ELOOP.
 */
export function assertNoLinks(files: Files, dirs: readonly string[]): void {
  for (const dir of dirs) statOfDir(files, dir)
}

/** Undefined if it is missing. It throws as `assertNoLinks`. */
function statOfDir(files: Files, dir: string): Stats | undefined {
  const stat = files.lstatSync(dir, { throwIfNoEntry: false })
  if (!stat?.isSymbolicLink()) return stat
  const problem = say`${dir} is a link, and nothing is read or written there`
  throw Object.assign(new SpoolUnusableError(problem, cures.replaceLink()), { code: 'ELOOP' })
}

/**
 * Watches which directories outbox and inbox are.
 *
 * @returns Looks at both. It throws as `assertNoLinks`.
 */
export function watchDirs(files: Files, dirs: SpoolDirs, onReplaced: (dir: string) => void): () => void {
  const known = new Map<string, Stats>()
  return () => {
    for (const dir of [dirs.outbox, dirs.inbox]) {
      const [before, now] = [known.get(dir), statOfDir(files, dir)]
      if (before && now && (now.ino !== before.ino || now.dev !== before.dev)) onReplaced(dir)
      if (now) known.set(dir, now)
    }
  }
}

/**
 * Tries what every answer needs: to read the outbox, to write in both directories, and to rename from one to the other.
 *
 * @param withSync False for a spool at work, where a slow disk must not stop the agent.
 * @throws {SpoolUnusableError} It does not work, for instance because they are on different file systems.
 */
export function probeSpool(files: Files, dirs: SpoolDirs, { withSync } = { withSync: true }): void {
  const { outbox, inbox } = dirs
  assertNoLinks(files, [outbox, inbox])
  const probe = unfinishedIn(files, outbox)
  const target = unfinishedIn(files, inbox)
  try {
    files.opendirSync(outbox).closeSync()
    files.writeFileSync(probe, 'probe', { flag: 'wx', mode: 0o644, flush: withSync })
    files.renameSync(probe, target)
  } catch (error) {
    throw spoolUnusable(dirs, error)
  } finally {
    for (const path of [probe, target]) {
      try {
        files.rmSync(path, { force: true })
      } catch {
        // The probe has failed too. The next start removes the file.
      }
    }
  }
}
