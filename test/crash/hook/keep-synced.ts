/**
 * Preloaded into an agent (`node --import`): keeps what a disk keeps of the databases through a power cut. When a sync of
 * a WAL ends well, it keeps a copy of that database's files as they were when the sync began; what was written later is on
 * no copy. `POWER_CUT_DISK` names the folder for the copies.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { basename, join } from 'node:path'

const disk = process.env['POWER_CUT_DISK'] ?? ''
// Taken now: what is preloaded after this must not count our own calls.
const { copyFileSync, fsync, mkdirSync, openSync, renameSync, rmSync } = fs
/** The WALs that are open, by descriptor. */
const wals = new Map<number, string>()
let copies = 0

fs.openSync = (path, ...rest) => {
  const fd = openSync(path, ...rest)
  const wal = String(path)
  if (!/^(?:journal|orders)\.db-wal$/.test(basename(wal))) return fd
  // The database that was opened is on the disk already.
  if (![...wals.values()].includes(wal)) show(wal, copy(wal))
  wals.set(fd, wal)
  return fd
}

fs.fsync = Object.assign((fd: number, callback: (error: NodeJS.ErrnoException | null) => void) => {
  const wal = wals.get(fd)
  const kept = wal === undefined ? undefined : copy(wal)
  fsync(fd, (error) => {
    if (!error && wal !== undefined && kept !== undefined) show(wal, kept)
    callback(error)
  })
}, fsync)
syncBuiltinESMExports()

function copy(wal: string): string {
  const folder = join(disk, `${process.pid}-${++copies}`)
  mkdirSync(folder, { recursive: true })
  for (const path of [wal.replace(/-wal$/, ''), wal]) copyFileSync(path, join(folder, basename(path)))
  return folder
}

/** Each rename shows both files, so that an agent that is killed here leaves a whole copy. */
function show(wal: string, folder: string): void {
  const newest = join(disk, basename(wal, '-wal'))
  rmSync(`${newest}.next`, { recursive: true, force: true })
  renameSync(folder, `${newest}.next`)
  rmSync(newest, { recursive: true, force: true })
  renameSync(`${newest}.next`, newest)
}
