import { join } from 'node:path'
import type { IdempotencyJournal } from '../call/idempotency-journal.ts'
import { isStoreFailure } from '../database/store-errors.ts'
import { awaitSync, ignoreGone } from '../durable-files/disk-errors.ts'
import type { Files } from '../durable-files/files.ts'
import type { PatientFs } from '../durable-files/retries.ts'
import type { SharedSyncs } from '../durable-files/shared-syncs.ts'
import { isGone } from '../durable-files/system-errors.ts'
import type { Claim, Waiting } from './requests.ts'
import { assertNoLinks, type SpoolDirs } from './spool-dirs.ts'

/** What each step in a spool needs. */
export interface InSpool {
  readonly dirs: SpoolDirs
  readonly files: Files
  readonly fs: PatientFs
}

/** What a step needs that must survive a power cut. */
export interface DurableSpool extends InSpool {
  readonly syncs: SharedSyncs
}

/** What a claim needs. */
export interface Claiming extends InSpool {
  /** Every claim has its name. */
  readonly journal: Pick<IdempotencyJournal, 'name' | 'forgetEnded' | 'unansweredKeptMs'>
}

/**
 * Claims a request by a rename.
 *
 * @param onRepeatedFailure As in `PatientFs`.
 * @returns undefined when the file is gone.
 * @throws {NodeJS.ErrnoException} It cannot be claimed now.
 */
export async function claimFile(
  { name, id }: Waiting,
  { dirs, files, fs, journal }: Claiming,
  onRepeatedFailure: () => void,
): Promise<Claim | undefined> {
  const claim = `${name}.claim-${await ownerOfClaim(id, journal)}`
  const path = join(dirs.outbox, claim)
  try {
    // The look at the directories can fail as the rename can, and a link may have been made meanwhile.
    await fs.tryPatiently(() => {
      assertNoLinks(files, [dirs.outbox, dirs.inbox])
      files.renameSync(join(dirs.outbox, name), path)
    }, onRepeatedFailure)
  } catch (error) {
    if (!isGone(error)) throw error
    // A rename that reported a failure may have been made.
    if (!files.lstatSync(path, { throwIfNoEntry: false })) return undefined
  }
  return { name, id, claim, claimedBefore: undefined }
}

/**
 * The journal's name. When it cannot forget an older call with this id because it is full or away, the claim gets another
 * name: after a crash the answer of the older call is not taken for this one's.
 */
async function ownerOfClaim(id: string, journal: Claiming['journal']): Promise<string> {
  try {
    await journal.forgetEnded(id)
    return journal.name
  } catch (error) {
    if (isStoreFailure(error)) return `${journal.name}-full`
    throw error
  }
}

/**
 * Gives a claimed file its name back. A newer request with that name stays; then the claim stays too, and the next start
 * reads it first.
 *
 * @throws {NodeJS.ErrnoException} The claim stays for the next start.
 * @throws {SyncFailedError} The same.
 */
export async function unclaim(
  { name, claim }: Claim,
  { dirs: { outbox }, files, fs, syncs }: DurableSpool,
): Promise<void> {
  const [from, to] = [join(outbox, claim), join(outbox, name)]
  try {
    // A link never replaces a newer request, as a rename would.
    files.linkSync(from, to)
  } catch (error) {
    if (isGone(error) || (error as NodeJS.ErrnoException).code === 'EEXIST') return
    // Linux refuses links to other users' files (fs.protected_hardlinks), and some file systems have none. Nothing
    // happens between these two calls except a request that is renamed to this name within some 20 µs.
    if (!files.lstatSync(to, { throwIfNoEntry: false })) files.renameSync(from, to)
    return
  }
  // Otherwise a power cut could keep the removal of the claim and lose the name of the request.
  await awaitSync(syncs.sync(outbox))
  await fs.unlink(from)
}

/** The unread answer of an earlier request with this name is kept under another name, which only the agent uses. */
export async function setAsideUnread(name: string, { dirs: { inbox }, files, fs }: InSpool): Promise<void> {
  const answer = join(inbox, name)
  const stat = files.lstatSync(answer, { bigint: true, throwIfNoEntry: false })
  // A directory is not an answer.
  if (!stat?.isFile()) return
  const aside = `${answer}.unread`
  const isTaken = files.lstatSync(aside, { throwIfNoEntry: false }) !== undefined
  // Its time and its number on the disk: a free name without a look at each answer that is kept, and they are in order.
  const another = `${aside}.${stat.ctimeNs}${stat.ino}`
  // Its reader may remove the answer first.
  await ignoreGone(fs.rename(answer, isTaken ? another : aside))
}
