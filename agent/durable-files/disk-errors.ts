/** A sync to disk failed. What stands on disk is not known any more: nothing may be built on it. */
export class SyncFailedError extends Error {
  override readonly name = 'SyncFailedError'
}

/** @throws {SyncFailedError} In place of whatever the sync failed with. */
export async function synced(syncing: Promise<unknown>): Promise<void> {
  try {
    await syncing
  } catch (error) {
    throw new SyncFailedError(`a sync to disk failed (${(error as NodeJS.ErrnoException).code})`, { cause: error })
  }
}

/** What somebody else has already done is done: a step before a crash, a reader. */
export async function unlessGone(act: Promise<void>): Promise<void> {
  try {
    await act
  } catch (error) {
    if (!isGone(error)) throw error
  }
}

/** There is no such file, or no such directory. */
export function isGone(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT'
}
