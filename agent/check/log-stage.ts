import { accessSync, closeSync, constants, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { cures } from '../language/cures.ts'
import { say } from '../language/say.ts'
import { right, type Verdict, wrong } from './check.ts'
import { type DirFacts, errorOf, probeDir, shownBytes, tryToMakeIn, wrongBy } from './dir-facts.ts'

/** What was found where the log goes. */
export interface LogFacts {
  readonly dir: DirFacts
  /** Why the file cannot be made, rotated or written; undefined if it can. */
  readonly error: Error | undefined
}

export function probeLog(file: string): LogFacts {
  const dir = probeDir(dirname(file))
  const error = errorOf(() => {
    const stat = statSync(file, { throwIfNoEntry: false })
    if (stat?.isDirectory()) throw Object.assign(new Error('a directory'), { code: 'EISDIR' })
    // A pipe or a device is never rotated.
    if (!stat || stat.isFile()) tryToMakeIn(dirname(file))
    if (stat?.isFile()) closeSync(openSync(file, 'a'))
    else if (stat) accessSync(file, constants.W_OK)
  })
  return { dir, error }
}

/** @param file Undefined for standard output. */
export function judgeLog(file: string | undefined, facts: LogFacts | undefined): Verdict {
  if (file === undefined || !facts) return right(say`goes to standard output`)
  const { dir, error } = facts
  const path = dirname(file)
  if (dir.at === 'unusable') return wrongBy(path, dir.error)
  if (dir.at === 'missing') return wrong(say`${path} does not exist`, cures.makeDir(path))
  if (error) return wrongBy(file, error)
  if (dir.freeBytes === 0) return wrong(say`${path}: its disk is full, so lines are lost`, cures.freeSpace())
  return right(say`${file}: ${shownBytes(dir.freeBytes)} are free`)
}
