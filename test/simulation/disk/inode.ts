import { constants } from 'node:fs'

interface Common {
  readonly ino: number
  mode: number
  /** When its bytes or entries changed last, and when its name or mode did: Unix ms. */
  changedMs: number
  entryChangedMs: number
}

/** A file: what a process reads, and what is on the disk for sure. Bytes are never changed in place. */
export interface FileNode extends Common {
  readonly kind: 'file'
  data: Buffer
  synced: Buffer
  /** The newest sync that has ended. */
  lastSync: number
  /** What a sync that failed has dropped. No later sync writes it. */
  lost?: Buffer
}

/** A directory, in the same two forms. */
export interface DirNode extends Common {
  readonly kind: 'dir'
  entries: Map<string, Inode>
  synced: Map<string, Inode>
}

/** A file or directory, whatever names it has. */
export type Inode = FileNode | DirNode

const empty = Buffer.alloc(0)

export function newFile(ino: number, mode: number, nowMs: number): FileNode {
  const common = { ino, mode: constants.S_IFREG | mode, changedMs: nowMs, entryChangedMs: nowMs }
  return { kind: 'file', ...common, data: empty, synced: empty, lastSync: 0 }
}

export function newDir(ino: number, mode: number, nowMs: number): DirNode {
  const common = { ino, mode: constants.S_IFDIR | mode, changedMs: nowMs, entryChangedMs: nowMs }
  return { kind: 'dir', ...common, entries: new Map(), synced: new Map() }
}
