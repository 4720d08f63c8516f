/**
 * Preloaded into an agent (`node --import`): keeps what a disk keeps of the journal through a power cut. After each commit
 * that SQLite syncs it copies the journal's files; what was written later is on no copy. `POWER_CUT_DISK` names the folder
 * for the copies. SQLite syncs a commit if `synchronous` is FULL, and with it everything written before.
 */
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import sqlite, { type DatabaseSync } from 'node:sqlite'

const disk = process.env['POWER_CUT_DISK'] ?? ''
const full = 2
let copies = 0

type Exec = (this: DatabaseSync, sql: string) => void
const { prototype } = sqlite.DatabaseSync
const exec: Exec = prototype.exec

prototype.exec = function execAndKeep(this: DatabaseSync, sql: string): void {
  exec.call(this, sql)
  const path = this.location() ?? ''
  if (basename(path) !== 'journal.db') return
  // The journal that is opened is on the disk already.
  const isOpening = copies === 0
  const isCommit = sql === 'COMMIT' && this.prepare('PRAGMA synchronous').get()?.['synchronous'] === full
  if (isOpening || isCommit) keep(path)
}

/** One rename shows both files, so that an agent that is killed here leaves a whole copy. */
function keep(path: string): void {
  const copy = join(disk, `${process.pid}-${++copies}`)
  mkdirSync(copy, { recursive: true })
  for (const file of [path, `${path}-wal`]) if (existsSync(file)) copyFileSync(file, join(copy, basename(file)))
  const newest = join(disk, 'newest')
  // The reader takes `newest`, or `newest.next` where the process died between the renames.
  rmSync(`${newest}.next`, { recursive: true, force: true })
  renameSync(copy, `${newest}.next`)
  rmSync(newest, { recursive: true, force: true })
  renameSync(`${newest}.next`, newest)
}
