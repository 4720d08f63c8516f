import { opendirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { leftoverOf } from './names.ts'
import { finishPublishing, type Publishing } from './publish.ts'
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
  readonly mtimeMs: number
}

/**
 * Settles what a former agent left: answers that were written are published, temporary files go. What was claimed and
 * not answered is returned, oldest first.
 *
 * Only the owner of the spool may do this.
 */
export async function settleLeftovers({ dirs, fs }: Publishing): Promise<LeftClaim[]> {
  const claims = new Map<string, LeftClaim[]>()
  const done: string[] = []
  for (const name of namesIn(dirs.outbox)) {
    const leftover = leftoverOf(name)
    if (leftover?.kind === 'temporary') await fs.unlink(join(dirs.outbox, name))
    else if (leftover?.kind === 'done') done.push(`${leftover.id}.json`)
    else if (leftover?.kind === 'claim') {
      const { id, owner } = leftover
      const { mtimeMs } = statSync(join(dirs.outbox, name))
      const claim = { name: `${id}.json`, id, claim: name, owner, mtimeMs }
      claims.set(claim.name, [...(claims.get(claim.name) ?? []), claim])
    }
  }
  for (const name of namesIn(dirs.inbox)) {
    if (leftoverOf(name)?.kind === 'temporary') await fs.unlink(join(dirs.inbox, name))
  }
  for (const name of done) {
    const [claim] = claims.get(name) ?? []
    await finishPublishing(name, claim?.claim, wasRefusedAsFile(dirs, name) ? 'keep-as-rejected' : 'remove', {
      dirs,
      fs,
    })
    claims.delete(name)
  }
  return [...claims.values()].flat().sort((a, b) => a.mtimeMs - b.mtimeMs || (a.name < b.name ? -1 : 1))
}

function* namesIn(path: string): Generator<string> {
  const dir = opendirSync(path, { bufferSize: 1_024 })
  try {
    for (let entry = dir.readSync(); entry; entry = dir.readSync()) yield entry.name
  } finally {
    dir.closeSync()
  }
}

/** Whether a written answer refuses the file itself, whose text then stays for a person to look at. */
function wasRefusedAsFile({ outbox }: SpoolDirs, name: string): boolean {
  return /"ok":false,.*"status":4(?:00|13)\}/.test(readFileSync(join(outbox, `${name}.done`), 'latin1'))
}
