import { join } from 'node:path'
import { promisify } from 'node:util'
import { awaitSync } from '../durable-files/disk-errors.ts'
import type { Files } from '../durable-files/files.ts'
import { unfinishedIn } from '../durable-files/replace-file.ts'
import { isGone } from '../durable-files/system-errors.ts'
import type { DurableSpool } from './claim.ts'
import { assertNoLinks } from './spool-dirs.ts'

/**
 * What becomes of a claimed file when its answer is written: it is removed, or kept for a person to read. `remove-for-good`:
 * no power cut brings it back after the answer can be seen.
 */
export type ClaimEnd = 'remove' | 'remove-for-good' | 'keep-as-rejected'

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
 * | write the answer to `x.json.done` | claim, done | done wins: remove the claim |
 * | remove the claim | done | publish |
 * | rename `x.json.done` to `inbox/x.json` | answer | nothing |
 *
 * The one rename that shows the answer also consumes it. If the answer were published first and the claim removed then,
 * a quick reader and a crash in between would make it appear twice.
 */
export async function publish(
  name: string,
  claim: string,
  answerText: string,
  claimEnd: ClaimEnd,
  publishing: DurableSpool,
): Promise<Published> {
  const { dirs, files, fs, syncs } = publishing
  assertNoLinks(files, [dirs.outbox, dirs.inbox])
  const temporary = unfinishedIn(files, dirs.outbox)
  try {
    await writeSynced(files, temporary, answerText)
    await fs.rename(temporary, join(dirs.outbox, `${name}.done`))
  } catch (error) {
    // The next start removes what cannot be removed now.
    await fs.unlink(temporary).catch(() => undefined)
    throw error
  }
  // The claim goes only when a power cut leaves the answer.
  await awaitSync(syncs.sync(dirs.outbox))
  return finishPublishing(name, claim, claimEnd, publishing)
}

/** The steps after `x.json.done` is written and synced. A start that finds one does them too. */
export async function finishPublishing(
  name: string,
  claim: string | undefined,
  claimEnd: ClaimEnd,
  { dirs, fs, syncs }: DurableSpool,
): Promise<Published> {
  if (claim !== undefined) {
    const path = join(dirs.outbox, claim)
    const isKept = claimEnd === 'keep-as-rejected'
    await unlessNoFile(isKept ? fs.rename(path, join(dirs.outbox, `${name}.rejected`)) : fs.unlink(path))
  }
  if (claimEnd === 'remove-for-good') await awaitSync(syncs.sync(dirs.outbox))
  await fs.rename(join(dirs.outbox, `${name}.done`), join(dirs.inbox, name))
  return { durable: awaitSync(Promise.all([syncs.syncPatiently(dirs.outbox), syncs.syncPatiently(dirs.inbox)])) }
}

/** A claim may be gone, or a directory may be in its place: neither is a request. */
async function unlessNoFile(act: Promise<void>): Promise<void> {
  try {
    await act
  } catch (error) {
    if (!isGone(error) && (error as NodeJS.ErrnoException).code !== 'EISDIR') throw error
  }
}

/** Only the steps that wait for the disk go to the thread pool. */
async function writeSynced(files: Files, path: string, text: string): Promise<void> {
  const fd = await promisify(files.open)(path, 'wx', 0o644)
  try {
    files.writeFileSync(fd, text, 'latin1')
    await awaitSync(promisify(files.fsync)(fd))
  } finally {
    files.closeSync(fd)
  }
}
