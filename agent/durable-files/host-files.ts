import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fstatSync,
  fsync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  open,
  opendirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  unlink,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import type { Files } from './files.ts'

const [uid, gid] = [process.getuid?.(), process.getgid?.()]

/** The files of this host: `node:fs` itself. */
export const hostFiles: Files = {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fstatSync,
  fsync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  open,
  openSync,
  opendirSync,
  readSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  unlink,
  unlinkSync,
  writeFileSync,
  user: uid === undefined || gid === undefined ? undefined : { uid, gid },
  newName: () => randomBytes(16).toString('hex'),
}
