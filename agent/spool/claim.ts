import { join } from 'node:path'
import type { Call } from '../call/call.ts'
import type { ClaimedFile } from './give-back.ts'
import type { LeftClaim } from './leftovers.ts'
import type { WaitingRequest } from './outbox-scan.ts'
import type { PatientFs } from './patient-fs.ts'
import type { SpoolDirs } from './spool-dirs.ts'

/** A request that is claimed. */
export interface ClaimedRequest extends ClaimedFile {
  readonly id: string
  /** Set when a former agent claimed it. */
  readonly claimedBefore: Call['claimedBefore']
}

/** What a claim needs, and who hears of one that failed. */
export interface Claiming {
  readonly dirs: SpoolDirs
  readonly fs: PatientFs
  /** The journal's name, which every claim carries. */
  readonly owner: string
  /** Forgets an id whose window has passed, before its name is claimed anew. */
  readonly forgetEnded: (id: string) => Promise<void>
  /** Requests that are claimed and not answered, by id. Kept here; the journal reads it. */
  readonly unanswered: Set<string>
  /** From when on nothing more is claimed, and nothing that fails is tried again. */
  readonly stopping: AbortSignal
  /** Told when a request cannot be claimed now. */
  readonly notClaimed: (name: string) => void
  /** Told when something else fails, which is tried again. */
  readonly troubled: (where: string, error: Error) => void
}

/**
 * Claims a request by a rename.
 *
 * @param held Told when that is held up.
 * @returns undefined when it is gone, or cannot be claimed now.
 */
export async function claim(
  { name, id }: WaitingRequest,
  claiming: Claiming,
  held: () => void,
): Promise<ClaimedRequest | undefined> {
  const { dirs, fs, owner, stopping, forgetEnded, unanswered, notClaimed, troubled } = claiming
  if (stopping.aborted) return undefined
  const claimName = `${name}.claim-${owner}`
  try {
    await forgetEnded(id)
    await fs.rename(join(dirs.outbox, name), join(dirs.outbox, claimName), held)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
      notClaimed(name)
      troubled(name, error as Error)
    }
    return undefined
  }
  unanswered.add(id)
  return { name, id, claim: claimName, claimedBefore: undefined }
}

/** A claim of a former agent: of one with this memory, or with another. */
export function takeOver({ name, id, claim, owner }: LeftClaim, { owner: ourselves }: Claiming): ClaimedRequest {
  return { name, id, claim, claimedBefore: owner === ourselves ? 'here' : 'elsewhere' }
}
