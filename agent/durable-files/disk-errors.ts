import { codeOf, isGone } from './system-errors.ts'

/** A sync to disk failed. It is not known what is on the disk now, so the agent must not rely on it. */
export class SyncFailedError extends Error {
  override readonly name = 'SyncFailedError'
}

/** @throws {SyncFailedError} If the sync fails, whatever its error was. */
export async function awaitSync(syncing: Promise<unknown>): Promise<void> {
  try {
    await syncing
  } catch (error) {
    throw new SyncFailedError(`a sync to disk failed (${codeOf(error)})`, { cause: error })
  }
}

/** Ignores that a file is gone already: a step before a crash or a reader has removed it. */
export async function ignoreGone(act: Promise<void>): Promise<void> {
  try {
    await act
  } catch (error) {
    if (!isGone(error)) throw error
  }
}
