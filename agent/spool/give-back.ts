import { link } from 'node:fs/promises'
import { join } from 'node:path'
import type { PatientFs } from './patient-fs.ts'
import type { SpoolDirs } from './spool-dirs.ts'

/** A claimed file. */
export interface ClaimedFile {
  readonly name: string
  /** The claim's file name. */
  readonly claim: string
}

/**
 * Gives a claimed file its name back. Where a newer request has that name, nothing is replaced: the claim stays, and the
 * next start takes it up before the newer one.
 *
 * @throws {NodeJS.ErrnoException} Anything else than that failed. The claim may be there still, for the next start.
 */
export async function giveBack({ name, claim }: ClaimedFile, { outbox }: SpoolDirs, fs: PatientFs): Promise<void> {
  try {
    await link(join(outbox, claim), join(outbox, name))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return
    throw error
  }
  await fs.unlink(join(outbox, claim))
}
