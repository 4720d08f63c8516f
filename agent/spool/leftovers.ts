import { type BigIntStats, lstatSync, opendirSync } from 'node:fs'
import { join } from 'node:path'
import { causeOf } from '../durable-files/cause.ts'
import { cureOf } from '../durable-files/cure.ts'
import { SyncFailedError } from '../durable-files/disk-errors.ts'
import { type Leftover, leftoverOf } from './names.ts'
import { type ClaimEnd, finishPublishing, type Publishing } from './publish.ts'
import { readRequestFile } from './request-file.ts'
import { type SpoolDirs, SpoolUnusableError } from './spool-dirs.ts'

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

/** Where leftovers are settled, and who hears of what is none. */
export interface Settling extends Publishing {
  /** Told of what is called like something of the agent's, and is no regular file: none of the agent's is otherwise. */
  readonly leftAlone: (name: string) => void
}

/**
 * Settles what a former agent left: answers that were written are published, temporary files go. What was claimed and
 * not answered is returned, oldest first.
 *
 * Only the owner of the spool may do this.
 *
 * @throws {SpoolUnusableError} An answer cannot be shown.
 */
export async function settleLeftovers(settling: Settling): Promise<LeftClaim[]> {
  const { dirs, fs } = settling
  const claims: LeftClaim[] = []
  const done: string[] = []
  for (const { name, leftover, stat } of leftoversIn(dirs.outbox, settling)) {
    if (leftover.kind === 'temporary') await fs.unlink(join(dirs.outbox, name))
    else if (leftover.kind === 'done') done.push(`${leftover.id}.json`)
    else if (isNamed(`${leftover.id}.json`, stat, settling)) await fs.unlink(join(dirs.outbox, name))
    else claims.push(claimOf(name, leftover, stat))
  }
  for (const { name, leftover } of leftoversIn(dirs.inbox, settling)) {
    if (leftover.kind === 'temporary') await fs.unlink(join(dirs.inbox, name))
  }
  claims.sort(asClaimed)
  for (const name of done) {
    // Of two claims of one name the older was worked on first.
    const at = claims.findIndex((claim) => claim.name === name)
    const [claim] = at < 0 ? [] : claims.splice(at, 1)
    await show(name, claim, settling)
  }
  return claims
}

/** Claims of one tick of the kernel's clock lie as they did in the outbox. */
function asClaimed(a: LeftClaim, b: LeftClaim): number {
  return Number(a.claimedAtNs - b.claimedAtNs) || Number(a.writtenAtNs - b.writtenAtNs) || (a.name < b.name ? -1 : 1)
}

interface Found {
  readonly name: string
  readonly leftover: Leftover
  readonly stat: BigIntStats
}

/** The agent's own files in a directory. Whoever may write there can give anything such a name. */
function* leftoversIn(dir: string, { leftAlone }: Settling): Generator<Found> {
  for (const name of namesIn(dir)) {
    const leftover = leftoverOf(name)
    const stat = leftover && lstatSync(join(dir, name), { bigint: true, throwIfNoEntry: false })
    if (!leftover || !stat) continue
    if (stat.isFile()) yield { name, leftover, stat }
    else leftAlone(name)
  }
}

/** Whether a claim was being given its name back: the same file under both names is one request. */
function isNamed(name: string, { ino, dev }: BigIntStats, { dirs }: Settling): boolean {
  const named = lstatSync(join(dirs.outbox, name), { bigint: true, throwIfNoEntry: false })
  return named?.ino === ino && named.dev === dev
}

function claimOf(claim: string, { id, owner }: Leftover & { kind: 'claim' }, stat: BigIntStats): LeftClaim {
  return { name: `${id}.json`, id, claim, owner, claimedAtNs: stat.ctimeNs, writtenAtNs: stat.mtimeNs }
}

async function show(name: string, claim: LeftClaim | undefined, { dirs, fs, syncs }: Settling): Promise<void> {
  const end = claim ? endOfClaim(dirs, claim) : 'remove'
  try {
    const { durable } = await finishPublishing(name, claim?.claim, end, { dirs, fs, syncs })
    await durable
  } catch (error) {
    if (error instanceof SyncFailedError) throw error
    const text = `SERVICE_SPOOL_DIR: the answer ${name} cannot be shown in ${dirs.inbox}: ${causeOf(error as Error)}`
    throw new SpoolUnusableError(`${text}: ${cureOf(error as Error)}`, { cause: error })
  }
}

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
