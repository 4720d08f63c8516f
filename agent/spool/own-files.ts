import type { BigIntStats, Dirent } from 'node:fs'
import { join } from 'node:path'
import pLimit from 'p-limit'
import type { IdempotencyJournal } from '../call/idempotency-journal.ts'
import type { Clock } from '../clock/clock.ts'
import { ignoreStoreFailure } from '../database/store-errors.ts'
import { awaitSync, SyncFailedError } from '../durable-files/disk-errors.ts'
import type { Files } from '../durable-files/files.ts'
import { readBounded } from '../durable-files/read-bounded.ts'
import { causeOf, cureOf } from '../durable-files/system-errors.ts'
import { answerFileText } from './answer-file.ts'
import { type DurableSpool, type InSpool, setAsideUnread } from './claim.ts'
import { idOfRequest, isDeviceName, isRejected, isUnread, type OwnFile, ownFileOf } from './names.ts'
import { type ClaimEnd, finishPublishing } from './publish.ts'
import { readRequestFile } from './request-file.ts'
import type { Orphaned } from './requests.ts'
import { type SpoolDirs, SpoolUnusableError } from './spool-dirs.ts'

/** What the recovery works with. */
export interface Recovering extends DurableSpool {
  readonly journal: Pick<IdempotencyJournal, 'name' | 'unansweredKeptMs' | 'findUnanswered' | 'restartWindow'>
  readonly clock: Clock
  /** Called for an entry that has the name of one of the agent's own files and is not a regular file. */
  readonly onIgnored: (name: string) => void
}

/** Answers are published side by side, so that they share the syncs of the directories. */
const publishingMax = 64

/**
 * Finishes what an earlier agent began: publishes the answers that are written and removes temporary files. Only the
 * owner of the spool may do this.
 *
 * @returns The claims that have no answer, oldest first.
 * @throws {SpoolUnusableError} An answer cannot be published.
 * @throws {SyncFailedError} It is not known what is on the disk.
 */
export async function recoverOwnFiles(recovering: Recovering): Promise<Orphaned[]> {
  const { dirs, files, fs, syncs } = recovering
  // A power cut must not take back what a killed agent did last. The answers first: their requests are gone.
  await awaitSync(syncs.sync(dirs.inbox))
  await awaitSync(syncs.sync(dirs.outbox))
  const claims: FoundClaim[] = []
  const done: string[] = []
  for (const { name, own, stat } of ownFilesIn(dirs.outbox, recovering)) {
    if (own.kind === 'done') done.push(own.id)
    else if (own.kind === 'temporary') await fs.unlink(join(dirs.outbox, name))
    // An earlier agent was giving the request its name back. That name is durable now.
    else if (isSameFile(files, join(dirs.outbox, `${own.id}.json`), stat)) await fs.unlink(join(dirs.outbox, name))
    else claims.push({ request: orphanedOf(name, own, stat, recovering), stat })
  }
  for (const { name, own } of ownFilesIn(dirs.inbox, recovering)) {
    if (own.kind === 'temporary') await fs.unlink(join(dirs.inbox, name))
  }
  const orphaned = claims.sort(byTimeOfClaim).map(({ request }) => request)
  const limit = pLimit(publishingMax)
  const publishing = done.map((answered) => {
    // Of two claims of one name, the answer is that of the older.
    const at = orphaned.findIndex(({ id }) => id === answered)
    const [request] = at < 0 ? [] : orphaned.splice(at, 1)
    return limit(() => publishDone(answered, request, recovering))
  })
  // If one fails the others end first: the recovery may be tried again.
  await Promise.allSettled(publishing)
  await Promise.all(publishing)
  return orphaned
}

interface FoundClaim {
  readonly request: Orphaned
  readonly stat: BigIntStats
}

/** The rename of the claim is the last change of the file's entry. Claims in one tick of the clock: as they were written. */
function byTimeOfClaim({ request: a, stat: ofA }: FoundClaim, { request: b, stat: ofB }: FoundClaim): number {
  return Number(ofA.ctimeNs - ofB.ctimeNs) || Number(ofA.mtimeNs - ofB.mtimeNs) || (a.name < b.name ? -1 : 1)
}

function orphanedOf(
  claim: string,
  { id, owner }: OwnFile & { kind: 'claim' },
  { ctimeNs }: BigIntStats,
  { journal, clock }: Recovering,
): Orphaned {
  const isLongAgo = clock.wallMs() - Number(ctimeNs / 1_000_000n) > journal.unansweredKeptMs
  const claimedBefore = owner !== journal.name ? 'elsewhere' : isLongAgo ? 'long-ago' : 'here'
  return { at: 'orphaned', name: `${id}.json`, id, claim, claimedBefore }
}

function isSameFile(files: Files, path: string, { ino, dev }: BigIntStats): boolean {
  const stat = files.lstatSync(path, { bigint: true, throwIfNoEntry: false })
  return stat?.ino === ino && stat.dev === dev
}

async function publishDone(id: string, request: Orphaned | undefined, recovering: Recovering): Promise<void> {
  const { dirs, files } = recovering
  const name = `${id}.json`
  await restartWindow(id, recovering)
  try {
    const claimEnd = request ? claimEndOf(files, request, dirs) : 'remove-for-good'
    // A power cut may have taken back that an unread answer was set aside.
    await setAsideUnread(name, recovering)
    const { durable } = await finishPublishing(name, request?.claim, claimEnd, recovering)
    await durable
  } catch (error) {
    if (error instanceof SyncFailedError) throw error
    const problem = `the answer ${name} cannot be shown in ${dirs.inbox}: ${causeOf(error as Error)}`
    throw new SpoolUnusableError(problem, cureOf(error as Error), { cause: error })
  }
}

/** Another file of this id may wait, and the time until the first answer appears does not count. */
async function restartWindow(id: string, { dirs, files, journal }: Recovering): Promise<void> {
  const known = await journal.findUnanswered(id).catch(ignoreStoreFailure)
  const done = readBounded(files, join(dirs.outbox, `${id}.json.done`))
  // It may be the answer of another call.
  const isItsAnswer = known && typeof done === 'object' && done.bytes.toString() === answerFileText(id, known.answer)
  if (isItsAnswer) await journal.restartWindow(id, known.answer)
}

/** A file that could not be understood is kept for a person to read. */
function claimEndOf(files: Files, { claim, id }: Orphaned, { outbox }: SpoolDirs): ClaimEnd {
  const { kind } = readRequestFile(files, join(outbox, claim), id)
  return kind === 'refused' || kind === 'half-written' ? 'keep-as-rejected' : 'remove-for-good'
}

interface Found {
  readonly name: string
  readonly own: OwnFile
  readonly stat: BigIntStats
}

/** The agent's own files in a directory. Other programs that may write there can use such names too. */
function* ownFilesIn(dir: string, { files, onIgnored }: Recovering): Generator<Found> {
  for (const { name } of entriesIn(files, dir)) {
    const own = ownFileOf(name)
    const stat = own && files.lstatSync(join(dir, name), { bigint: true, throwIfNoEntry: false })
    if (!own || !stat) continue
    if (stat.isFile()) yield { name, own, stat }
    else onIgnored(name)
  }
}

/** How long rejected requests and unread answers are kept for a person to read. */
export const keptMs = 24 * 3_600_000

/**
 * Removes rejected requests and unread answers that were set aside more than 24 h ago.
 *
 * @param nowMs Of a `windowClock`.
 */
export async function removeExpired({ dirs, files, fs }: InSpool, nowMs: number): Promise<void> {
  for (const [dir, isKept] of [[dirs.outbox, isRejected] as const, [dirs.inbox, isUnread] as const]) {
    for (const { name } of entriesIn(files, dir)) {
      if (!isKept(name)) continue
      const path = join(dir, name)
      // The rename that set it aside is the last change of its entry. Its text may be much older.
      const stat = files.lstatSync(path, { throwIfNoEntry: false })
      if (stat?.isFile() && nowMs - stat.ctimeMs > keptMs) await fs.unlink(path)
    }
  }
}

/**
 * Counts requests that are not claimed, and refused files. Directories and links of such names can become neither. With
 * very many of them other work continues in between.
 */
export async function countFiles(
  files: Files,
  { outbox }: SpoolDirs,
  clock: Clock,
): Promise<{ backlog: number; rejected: number }> {
  const count = { backlog: 0, rejected: 0 }
  let entries = 0
  try {
    for (const entry of entriesIn(files, outbox)) {
      if (++entries % 1_024 === 0) await clock.nextTurn()
      if (!entry.isFile()) continue
      const id = idOfRequest(entry.name)
      if (id !== undefined && !isDeviceName(id)) count.backlog++
      if (isRejected(entry.name)) count.rejected++
    }
  } catch {
    // The reasons say that the outbox cannot be read.
  }
  return count
}

function* entriesIn(files: Files, path: string): Generator<Dirent> {
  const dir = files.opendirSync(path, { bufferSize: 1_024 })
  try {
    for (let entry = dir.readSync(); entry; entry = dir.readSync()) yield entry
  } finally {
    dir.closeSync()
  }
}
