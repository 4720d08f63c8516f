import { DirUnusableError } from '../durable-files/dir-unusable.ts'
import type { OwnedDir, Ownership, TakeOwnership } from './ownership.ts'

/**
 * As `takeOwnership`, for a directory that the agent does not need at once: if there is no room for the lock now,
 * `assertSameDir` takes it later, and throws as long as it cannot.
 *
 * @throws {LockedError} Another live process owns it.
 * @throws {DirUnusableError} It cannot be used, and waiting does not help.
 */
export function takeOwnershipInTime(takeOwnership: TakeOwnership, dir: OwnedDir, owner: string): Ownership {
  let ownership: Ownership | undefined
  const own = (): Ownership => {
    ownership ??= takeOwnership(dir, owner)
    return ownership
  }
  try {
    own()
  } catch (error) {
    if (!(error instanceof DirUnusableError && error.mayPass)) throw error
  }
  return {
    assertSameDir: () => own().assertSameDir(),
    release: () => ownership?.release(),
  }
}
