import { opendirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { leftoverOf } from './names.ts'
import { type ClaimEnd, finishPublishing, type Publishing } from './publish.ts'
import { readRequestFile } from './request-file.ts'
import type { SpoolDirs } from './spool-dirs.ts'

/** A request that a former agent claimed and did not answer. */
export interface LeftClaim {
  /** The request's name, `x.json`. */
  readonly name: string
  readonly id: string
  /** The claim's file name. */
  readonly claim: string
  /** The journal in whose memory it was made. */
  readonly owner: string
  /** When it was claimed: the rename is the last change of the file's entry. The kernel's clock ticks in milliseconds. */
  readonly claimedAtNs: bigint
  /** When it was written. */
  readonly writtenAtNs: bigint
}

/**
 * Settles what a former agent left: answers that were written are published, temporary files go. What was claimed and
 * not answered is returned, oldest first.
 *
 * Only the owner of the spool may do this.
 */
export async function settleLeftovers({ dirs, fs, syncs }: Publishing): Promise<LeftClaim[]> {
  const claims = new Map<string, LeftClaim[]>()
  const done: string[] = []
  for (const name of namesIn(dirs.outbox)) {
    const leftover = leftoverOf(name)
    if (leftover?.kind === 'temporary') await fs.unlink(join(dirs.outbox, name))
    else if (leftover?.kind === 'done') done.push(`${leftover.id}.json`)
    else if (leftover?.kind === 'claim') {
      const { id, owner } = leftover
      const { ctimeNs, mtimeNs, ino, dev } = statSync(join(dirs.outbox, name), { bigint: true })
      const claim = { name: `${id}.json`, id, claim: name, owner, claimedAtNs: ctimeNs, writtenAtNs: mtimeNs }
      const named = statSync(join(dirs.outbox, claim.name), { bigint: true, throwIfNoEntry: false })
      // A claim that was being given its name back: the same file under both names is one request.
      if (named?.ino === ino && named.dev === dev) await fs.unlink(join(dirs.outbox, name))
      else claims.set(claim.name, [...(claims.get(claim.name) ?? []), claim])
    }
  }
  for (const name of namesIn(dirs.inbox)) {
    if (leftoverOf(name)?.kind === 'temporary') await fs.unlink(join(dirs.inbox, name))
  }
  for (const name of namesIn(dirs.root)) {
    if (heartbeatTemporary.test(name)) await fs.unlink(join(dirs.root, name))
  }
  for (const name of done) {
    const [claim] = claims.get(name) ?? []
    const end = claim ? endOfClaim(dirs, claim) : 'remove'
    const { durable } = await finishPublishing(name, claim?.claim, end, { dirs, fs, syncs })
    await durable
    claims.delete(name)
  }
  return [...claims.values()].flat().sort(asClaimed)
}

/** Claims of one tick of the kernel's clock lie as they did in the outbox. */
function asClaimed(a: LeftClaim, b: LeftClaim): number {
  return Number(a.claimedAtNs - b.claimedAtNs) || Number(a.writtenAtNs - b.writtenAtNs) || (a.name < b.name ? -1 : 1)
}

/** As write-file-atomic names it; an agent that was killed leaves it. */
const heartbeatTemporary = /^agent\.json\.\d+$/

function* namesIn(path: string): Generator<string> {
  const dir = opendirSync(path, { bufferSize: 1_024 })
  try {
    for (let entry = dir.readSync(); entry; entry = dir.readSync()) yield entry.name
  } finally {
    dir.closeSync()
  }
}

/** Whether what was answered is a file that could not be understood: its text then stays for a person to look at. */
function endOfClaim({ outbox }: SpoolDirs, { claim, id }: LeftClaim): ClaimEnd {
  const { kind } = readRequestFile(join(outbox, claim), id)
  return kind === 'refused' || kind === 'unfinished' ? 'keep-as-rejected' : 'remove'
}
