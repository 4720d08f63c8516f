import { closeSync, fsync, open, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { synced, unlessGone } from '../durable-files/disk-errors.ts'
import { unfinishedIn } from '../durable-files/replace-file.ts'
import type { PatientFs } from './patient-fs.ts'
import type { SharedSyncs } from './shared-syncs.ts'
import type { SpoolDirs } from './spool-dirs.ts'

/** What becomes of a claim when its answer stands: it goes, or stays for a person to look at. */
export type ClaimEnd = 'remove' | 'keep-as-rejected'

/** What publishing works with. */
export interface Publishing {
  readonly dirs: SpoolDirs
  readonly fs: PatientFs
  readonly syncs: SharedSyncs
}

/** An answer that its reader can see. */
export interface Published {
  /**
   * Resolves when a power cut can no longer take it back.
   *
   * @throws {SyncFailedError}
   */
  readonly durable: Promise<void>
}

/**
 * Gives an answer to a claimed request, exactly once whatever happens in between.
 *
 * | step | on disk after it | after a crash |
 * |---|---|---|
 * | the answer is written to `x.json.done` | claim, done | done wins: the claim goes |
 * | the claim goes | done | publish |
 * | `x.json.done` is renamed to `inbox/x.json` | answer | nothing |
 *
 * The one rename that shows the answer is the one that uses it up: publishing first and removing the claim afterwards
 * would answer a request twice when the reader is quick and the agent dies in between.
 */
export async function publish(
  name: string,
  claim: string,
  answerText: string,
  claimEnd: ClaimEnd,
  { dirs, fs, syncs }: Publishing,
): Promise<Published> {
  const temporary = unfinishedIn(dirs.outbox)
  try {
    await writeSynced(temporary, answerText)
    await fs.rename(temporary, join(dirs.outbox, `${name}.done`))
  } catch (error) {
    // What cannot be removed now is by the next start.
    await fs.unlink(temporary).catch(() => undefined)
    throw error
  }
  await synced(syncs.sync(dirs.outbox))
  return finishPublishing(name, claim, claimEnd, { dirs, fs, syncs })
}

/** The steps from a written `x.json.done` on. Also those of a start that finds one. */
export async function finishPublishing(
  name: string,
  claim: string | undefined,
  claimEnd: ClaimEnd,
  { dirs, fs, syncs }: Publishing,
): Promise<Published> {
  if (claim !== undefined) {
    const path = join(dirs.outbox, claim)
    if (claimEnd === 'remove') await unlessGone(fs.unlink(path))
    else await unlessGone(fs.rename(path, join(dirs.outbox, `${name}.rejected`)))
  }
  await fs.rename(join(dirs.outbox, `${name}.done`), join(dirs.inbox, name))
  return { durable: synced(Promise.all([syncs.syncPatiently(dirs.outbox), syncs.syncPatiently(dirs.inbox)])) }
}

const opened = promisify(open)
const fsynced = promisify(fsync)

/** Only what waits for the disk is handed to the thread pool. */
async function writeSynced(path: string, text: string): Promise<void> {
  const fd = await opened(path, 'wx', 0o644)
  try {
    writeFileSync(fd, text, 'latin1')
    await synced(fsynced(fd))
  } finally {
    closeSync(fd)
  }
}
