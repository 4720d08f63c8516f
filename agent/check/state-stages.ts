import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseKind } from '../database/open-database.ts'
import { tryToWriteIn } from '../durable-files/database-fault.ts'
import { codeOf } from '../durable-files/system-errors.ts'
import { cures } from '../language/cures.ts'
import { say } from '../language/say.ts'
import { readOwner } from '../ownership/owner-lock.ts'
import { right, unknown, type Verdict, wrong } from './check.ts'
import { type DirFacts, errorOf, judgeMissing, judgeNetwork, shownBytes, wrongBy } from './dir-facts.ts'

/** What the reserve of the journal takes at the first start, and some room for answers. */
const freeBytesMin = 8 * 1024 * 1024

/** @param writeError Why 64 KiB could not be written there; undefined if they could. */
export function judgeStateDir(path: string, facts: DirFacts, writeError: Error | undefined): Verdict {
  if (facts.at === 'unusable') return wrongBy(path, facts.error)
  if (facts.at === 'missing') return judgeMissing(path, facts)
  if (writeError) return wrongBy(path, writeError)
  if (facts.network !== undefined) return judgeNetwork(path, facts.network)
  const free = shownBytes(facts.freeBytes)
  if (facts.freeBytes < freeBytesMin && !existsSync(join(path, 'ballast')))
    return wrong(
      say`${path}: ${free} are free, and the first start needs ${shownBytes(freeBytesMin)}`,
      cures.freeSpace(),
    )
  return right(say`${path}: ${free} are free. A quota is seen only when it is used up: 64 KiB were written`)
}

/** @returns undefined where the directory cannot be written in any case. */
export function tryStateDir(path: string, facts: DirFacts): Error | undefined {
  return facts.at === 'there' ? errorOf(() => tryToWriteIn(path)) : undefined
}

/** The head of a database file. */
export type DatabaseFacts =
  | { readonly at: 'missing' }
  | { readonly at: 'unusable'; readonly error: Error }
  | { readonly at: 'foreign' }
  | { readonly at: 'there'; readonly applicationId: number; readonly version: number }

const headBytes = 100
const magic = 'SQLite format 3\0'

/** Reads only the head: a database that is opened would be locked. @see https://sqlite.org/fileformat.html */
export function probeDatabase(path: string): DatabaseFacts {
  try {
    if (!statSync(path, { throwIfNoEntry: false })?.size) return { at: 'missing' }
    const fd = openSync(path, 'r')
    try {
      const head = Buffer.alloc(headBytes)
      const length = readSync(fd, head, 0, headBytes, 0)
      if (length < headBytes || head.toString('latin1', 0, magic.length) !== magic) return { at: 'foreign' }
      return { at: 'there', version: head.readUInt32BE(60), applicationId: head.readUInt32BE(68) }
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    return { at: 'unusable', error: error as Error }
  }
}

export function judgeDatabase(path: string, kind: DatabaseKind, facts: DatabaseFacts): Verdict {
  switch (facts.at) {
    case 'missing':
      return right(say`${path} does not exist yet; the first start makes it`)
    case 'unusable':
      return wrongBy(path, facts.error)
    case 'foreign':
      return wrong(say`${path} is not a database`, kind.cureOfDamage())
    case 'there':
      if (facts.applicationId !== kind.applicationId)
        return wrong(say`${path} is another program's database`, cures.ownStateDir())
      if (facts.version > kind.schemaVersion)
        return wrong(
          say`${path} was written by a newer market-agent (version ${facts.version}, this one knows ${kind.schemaVersion})`,
          cures.startNewerVersion(),
        )
      return right(
        facts.version < kind.schemaVersion
          ? say`${path}: version ${facts.version}; the next start makes version ${kind.schemaVersion} of it`
          : say`${path}: version ${facts.version}. Damage inside is found at the start`,
      )
  }
}

/** Who uses the state directory. */
export interface OwnerFacts {
  /** Of the owner file, which a killed agent leaves behind; undefined without one. */
  readonly owner: string | undefined
  /** Undefined where it is not known. */
  readonly isLocked: boolean | undefined
}

/** Looks for the lock without trying to take it. */
export function probeOwner(stateDir: string): OwnerFacts {
  const owner = existsSync(join(stateDir, 'owner.json')) ? readOwner(stateDir) : undefined
  if (isLockShown(join(stateDir, 'owner.lock'))) return { owner, isLocked: true }
  // A lock that is not shown proves nothing: some file systems show another number of the file, and a sandbox shows none.
  return { owner, isLocked: owner !== undefined && isAlive(owner) ? undefined : false }
}

/** Whether Linux lists a lock of the file. */
function isLockShown(path: string): boolean {
  try {
    const { ino } = statSync(path)
    return readFileSync('/proc/locks', 'utf8')
      .split(/\s/)
      .some((field) => field.endsWith(`:${ino}`))
  } catch {
    return false
  }
}

/** Whether the process may run that an owner file names. Another one may have its number by now. */
function isAlive(owner: string): boolean {
  const pid = /^process (\d+),/.exec(owner)?.[1]
  const error = pid === undefined ? undefined : errorOf(() => process.kill(Number(pid), 0))
  return error === undefined || codeOf(error) !== 'ESRCH'
}

/** @param agent Name and version of the agent that answers at our port; undefined where none does. */
export function judgeOwner(path: string, { owner, isLocked }: OwnerFacts, agent: string | undefined): Verdict {
  if (agent !== undefined)
    return isLocked === false
      ? wrong(say`${agent} answers at the port of these settings and does not use ${path}`, cures.givePort())
      : right(say`${path} is used by the ${agent} that runs now`)
  if (isLocked === true)
    return wrong(
      say`${path} is locked by another market-agent (${owner}), which does not listen at the port of these settings`,
      cures.stopOwner(),
    )
  return isLocked === undefined
    ? unknown(say`${path} was last used by ${owner}; whether that agent still runs is not visible here`)
    : right(say`${path} is not in use`)
}
