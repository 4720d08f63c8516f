/**
 * Preloaded into an agent (`node --import`): keeps what a disk keeps of the journal through a power cut. When a sync of the
 * WAL ends well, it keeps a copy of the journal's files as they were when that sync began; what was written later is on no
 * copy. `POWER_CUT_DISK` names the folder for the copies.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { basename, join } from 'node:path'

const disk = process.env['POWER_CUT_DISK'] ?? ''
const { openSync, fsync } = fs
let wal: { readonly fd: number; readonly path: string } | undefined
let copies = 0

fs.openSync = (path, ...rest) => {
  const fd = openSync(path, ...rest)
  if (basename(String(path)) === 'journal.db-wal') {
    wal = { fd, path: String(path) }
    // The journal that was opened is on the disk already.
    if (copies === 0) show(copy(wal.path))
  }
  return fd
}

fs.fsync = Object.assign((fd: number, callback: (error: NodeJS.ErrnoException | null) => void) => {
  const kept = fd === wal?.fd ? copy(wal.path) : undefined
  fsync(fd, (error) => {
    if (!error && kept) show(kept)
    callback(error)
  })
}, fsync)
syncBuiltinESMExports()

function copy(walPath: string): string {
  const folder = join(disk, `${process.pid}-${++copies}`)
  fs.mkdirSync(folder, { recursive: true })
  for (const path of [walPath.replace(/-wal$/, ''), walPath]) fs.copyFileSync(path, join(folder, basename(path)))
  return folder
}

/** Each rename shows both files, so that an agent that is killed here leaves a whole copy. */
function show(folder: string): void {
  const newest = join(disk, 'newest')
  fs.rmSync(`${newest}.next`, { recursive: true, force: true })
  fs.renameSync(folder, `${newest}.next`)
  fs.rmSync(newest, { recursive: true, force: true })
  fs.renameSync(`${newest}.next`, newest)
}
