import { linkSync, rmSync, writeFileSync } from 'node:fs'
import { hostFiles } from '../durable-files/host-files.ts'
import { unfinishedIn } from '../durable-files/replace-file.ts'
import { causeOf } from '../durable-files/system-errors.ts'
import { cures } from '../language/cures.ts'
import type { Problem } from '../language/problem.ts'
import { say } from '../language/say.ts'
import { assertNoLinks, probeSpool, type SpoolDirs, spoolReasons, warningAboutRoot } from '../spool/spool-dirs.ts'
import { type Check, right, unknown, type Verdict, wrong } from './check.ts'
import { type DirFacts, errorOf, judgeMissing, judgeNetwork, probeDir, tryToMakeIn, wrongBy } from './dir-facts.ts'

/** What was found in a spool. */
export interface SpoolFacts {
  readonly root: DirFacts
  /** Of outbox and inbox, as far as they exist. */
  readonly dirs: readonly { readonly path: string; readonly facts: DirFacts }[]
  /** Why a file cannot be written in the outbox and renamed into the inbox; undefined if it can. */
  readonly renameError: Error | undefined
  /** Why no second name can be given to a file; undefined if it can. */
  readonly linkError: Error | undefined
  /** What is wrong with the rights of the group and of others. */
  readonly rights: readonly Problem[]
}

/** Tries what an answer needs, with hidden names that no agent takes for a request. Missing directories are not made. */
export function probeSpoolDirs(dirs: SpoolDirs): SpoolFacts {
  const root = probeDir(dirs.root)
  const parts = [dirs.outbox, dirs.inbox].map((path) => ({ path, facts: probeDir(path) }))
  const isComplete = parts.every(({ facts }) => facts.at === 'there')
  const renameError = errorOf(() => {
    if (isComplete) return probeSpool(hostFiles, dirs, { withSync: false })
    assertNoLinks(hostFiles, [dirs.outbox, dirs.inbox])
    for (const { path, facts } of parts) if (facts.at === 'there') tryToMakeIn(path)
  })
  const linkError = isComplete && !renameError ? errorOf(() => tryToLinkIn(dirs.outbox)) : undefined
  const rights =
    root.at === 'there' ? [...spoolReasons(hostFiles, dirs, false), ...warningAboutRoot(hostFiles, dirs)] : []
  return { root, dirs: parts, renameError, linkError, rights }
}

function tryToLinkIn(dir: string): void {
  const [file, link] = [unfinishedIn(hostFiles, dir), unfinishedIn(hostFiles, dir)]
  try {
    writeFileSync(file, '', { flag: 'wx', mode: 0o600 })
    linkSync(file, link)
  } finally {
    for (const path of [file, link]) rmSync(path, { force: true })
  }
}

/** The checks of a spool. */
export function spoolChecks({ root, outbox, inbox }: SpoolDirs, facts: SpoolFacts): Check[] {
  const verdicts: Partial<Record<Check['name'], Verdict>> = {
    'spool-dirs': judgeDirs(root, facts),
    'spool-group': judgeRights(facts),
    'spool-links': judgeLinks(outbox, facts),
    'spool-disk': judgeDisk([root, outbox, inbox], facts),
  }
  return Object.entries(verdicts).map(([name, verdict]) => ({ name: name as Check['name'], ...verdict }))
}

function judgeDirs(root: string, { root: facts, dirs, renameError }: SpoolFacts): Verdict {
  if (facts.at === 'unusable') return wrongBy(root, facts.error)
  if (facts.at === 'missing') return judgeMissing(root, facts)
  if (renameError) return wrongBy(root, (renameError.cause ?? renameError) as Error)
  for (const { path, facts: of } of dirs) {
    if (of.at === 'unusable') return wrongBy(path, of.error)
    if (of.at === 'missing' && of.error) return judgeMissing(path, of)
  }
  const missing = dirs.filter(({ facts: of }) => of.at === 'missing').map(({ path }) => path)
  return right(
    missing.length > 0
      ? say`${missing.join(' and ')} do not exist yet; the first start makes them`
      : say`${root}: a file could be written in the outbox and renamed into the inbox`,
  )
}

function judgeRights({ root, rights: [first] }: SpoolFacts): Verdict {
  if (root.at !== 'there') return unknown(say`the spool does not exist yet`)
  if (first === undefined) return right(say`the rights of group and others are as they must be`)
  return wrong(first.problem, first.cure)
}

function judgeLinks(outbox: string, { dirs, renameError, linkError }: SpoolFacts): Verdict {
  if (renameError || dirs.some(({ facts }) => facts.at !== 'there')) return unknown(say`needs outbox and inbox`)
  if (!linkError) return right(say`hard links are allowed`)
  return wrong(say`${outbox}: hard links are not allowed (${causeOf(linkError)})`, cures.allowHardLinks())
}

function judgeDisk(paths: readonly string[], { root, dirs }: SpoolFacts): Verdict {
  const all = [root, ...dirs.map(({ facts }) => facts)]
  for (const [index, facts] of all.entries()) {
    if (facts.at === 'there' && facts.network !== undefined) return judgeNetwork(paths[index] ?? '', facts.network)
  }
  return root.at === 'there' ? right(say`a disk of this host`) : unknown(say`the spool does not exist yet`)
}
