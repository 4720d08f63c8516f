import { posix } from 'node:path'
import { hashOf, type Random } from '../random.ts'
import { type DirNode, type FileNode, type Inode, newDir, newFile } from './inode.ts'
import { systemError } from './system-error.ts'

/** One change of directory entries: a name that gets a file, or loses it. A rename is one change of two names. */
type Change = readonly { readonly dir: DirNode; readonly name: string; readonly node: Inode | undefined }[]

/** Where a path leads. */
interface Place {
  readonly dir: DirNode
  readonly name: string
  readonly node: Inode | undefined
}

/** The most changes that wait for a sync. */
const unsyncedMax = 400
/** File systems take the time from the timer interrupt, so that changes in one tick have one time. */
const tickMs = 4

/**
 * The file system of a host, in memory. It outlives the processes and knows what a power cut leaves:
 *
 * - The bytes of a file up to the last sync of that file. Later ones are there, or not, or in part.
 * - Changes of a directory up to its last sync. Each later one is there or not, whatever the order, but a change of a name
 *   never without the changes of that name before it. A rename is one change of two names.
 *
 * Paths are absolute. There are no links but hard ones, one user, and no end of space: a full disk is a fault.
 *
 * @throws {NodeJS.ErrnoException} In each method, as the system call that it is named after.
 */
export class Disk {
  readonly #wallMs: () => number
  readonly #root: DirNode
  readonly #watchers = new Map<DirNode, Set<() => void>>()
  /** Changes that a power cut may undo, oldest first. */
  #unsynced: Change[] = []
  #lastIno = 1
  #lastSync = 0

  constructor(wallMs: () => number) {
    this.#wallMs = wallMs
    this.#root = newDir(this.#lastIno, 0o755, this.nowMs)
  }

  /** What a file that changes now gets as its time. */
  get nowMs(): number {
    return Math.floor(this.#wallMs() / tickMs) * tickMs
  }

  find(path: string, call: string): Inode | undefined {
    return this.#placeOf(path, call)?.node
  }

  /** The names in a directory, without a call of a process; none if it is not there. */
  namesIn(path: string): readonly string[] {
    return this.find(path, 'scandir') ? this.readdir(path) : []
  }

  /** The names in a directory, in the order of their hashes, as on most file systems. Throws if it is not there. */
  readdir(path: string): string[] {
    const names = [...this.getDir(path, 'scandir').entries.keys()]
    const hashed = names.map((name) => ({ name, hash: hashOf(name, 0) }))
    return hashed.sort((one, other) => one.hash - other.hash).map(({ name }) => name)
  }

  /** The names that a power cut leaves in a directory, or brings back. */
  durableNamesIn(path: string): readonly string[] {
    return this.find(path, 'scandir') ? [...this.getDir(path, 'scandir').synced.keys()] : []
  }

  /** Names in a directory that are gone, and that a power cut brings back. */
  namesThatComeBack(path: string): readonly string[] {
    const there = new Set(this.namesIn(path))
    return this.durableNamesIn(path).filter((name) => !there.has(name))
  }

  /** What a file holds, without a call of a process. */
  textOf(path: string): string {
    const node = this.get(path, 'open')
    return node.kind === 'file' ? node.data.toString() : fail('EISDIR', 'open', path)
  }

  get(path: string, call: string): Inode {
    return this.find(path, call) ?? fail('ENOENT', call, path)
  }

  getDir(path: string, call: string): DirNode {
    const node = this.get(path, call)
    return node.kind === 'dir' ? node : fail('ENOTDIR', call, path)
  }

  create(path: string, mode: number): FileNode {
    const { dir, name } = this.#parentOf(path, 'open')
    const node = newFile(++this.#lastIno, mode, this.nowMs)
    this.#change([{ dir, name, node }])
    return node
  }

  mkdir(path: string, mode: number): void {
    const { dir, name, node } = this.#parentOf(path, 'mkdir')
    if (node) fail('EEXIST', 'mkdir', path)
    this.#change([{ dir, name, node: newDir(++this.#lastIno, mode, this.nowMs) }])
  }

  rename(from: string, to: string): void {
    const source = this.#parentOf(from, 'rename')
    const target = this.#parentOf(to, 'rename')
    const node = source.node ?? fail('ENOENT', 'rename', from)
    if (target.node === node) return
    if (target.node?.kind === 'dir' && node.kind === 'file') fail('EISDIR', 'rename', from)
    if (target.node?.kind === 'file' && node.kind === 'dir') fail('ENOTDIR', 'rename', from)
    if (target.node?.kind === 'dir' && target.node.entries.size > 0) fail('ENOTEMPTY', 'rename', from)
    this.#change([
      { dir: source.dir, name: source.name, node: undefined },
      { dir: target.dir, name: target.name, node },
    ])
  }

  link(from: string, to: string): void {
    const node = this.get(from, 'link')
    const target = this.#parentOf(to, 'link')
    if (target.node) fail('EEXIST', 'link', from)
    this.#change([{ dir: target.dir, name: target.name, node }])
  }

  unlink(path: string): void {
    const { dir, name, node = fail('ENOENT', 'unlink', path) } = this.#parentOf(path, 'unlink')
    if (node.kind === 'dir') fail('EISDIR', 'unlink', path)
    this.#change([{ dir, name, node: undefined }])
  }

  chmod(path: string, mode: number): void {
    const node = this.get(path, 'chmod')
    node.mode = (node.mode & ~0o777) | mode
    node.entryChangedMs = this.nowMs
  }

  /** Removes a directory with everything in it. */
  removeDir(path: string): void {
    for (const [name, node] of this.getDir(path, 'rm').entries) {
      if (node.kind === 'dir') this.removeDir(posix.join(path, name))
      else this.unlink(posix.join(path, name))
    }
    const { dir, name } = this.#parentOf(path, 'rm')
    this.#change([{ dir, name, node: undefined }])
  }

  /** Calls back at each change of the entries of a directory. The returned function ends that. */
  watch(path: string, onChange: () => void): () => void {
    const dir = this.getDir(path, 'watch')
    const watchers = this.#watchers.get(dir) ?? new Set()
    this.#watchers.set(dir, watchers.add(onChange))
    return () => void watchers.delete(onChange)
  }

  /** Makes what a file or directory holds now survive a power cut. */
  sync(node: Inode): void {
    this.beginSync(node)()
  }

  /** Begins a sync, which covers nothing that is written later. The returned function ends it. */
  beginSync(node: Inode): () => void {
    if (node.kind === 'file') {
      const { data } = node
      const number = ++this.#lastSync
      return () => {
        if (data === node.lost || number < node.lastSync) return
        node.lastSync = number
        node.synced = data
      }
    }
    const covered = new Set(this.#unsynced.filter((change) => change.some(({ dir }) => dir === node)))
    return () => this.#keep((change) => covered.has(change))
  }

  /** Whether a power cut leaves what has this path as it is. */
  isDurable(path: string): boolean {
    const node = this.get(path, 'stat')
    return this.isNameDurable(path) && (node.kind !== 'file' || node.synced === node.data)
  }

  /** Whether a power cut leaves the name of a file, whatever becomes of its bytes. */
  isNameDurable(path: string): boolean {
    const { dir, name, node } = this.#parentOf(path, 'stat')
    return dir.synced.get(name) === node
  }

  /** A sync has failed: what it would have written is in memory still, and no sync will write it. */
  loseUnsynced(node: Inode): void {
    if (node.kind === 'file' && node.data !== node.synced) node.lost = node.data
  }

  /** Drops what was not synced, or as much of it as the disk likes. Nobody has a file open any more. */
  cutPower(random: Random): void {
    const rate = random.pick([0, 0.5, 1])
    this.#keep(() => random.happens(rate))
    this.#unsynced = []
    this.#watchers.clear()
    this.#forgetUnsynced(this.#root, random)
  }

  #forgetUnsynced(node: Inode, random: Random): void {
    if (node.kind === 'file') {
      node.data = node.data === node.synced ? node.synced : tornData(node, random)
      node.synced = node.data
      return
    }
    node.entries = new Map(node.synced)
    for (const child of node.entries.values()) this.#forgetUnsynced(child, random)
  }

  /** Makes some changes survive, with those before them that they need. */
  #keep(isWanted: (change: Change) => boolean): void {
    const needed = new Map<DirNode, Set<string>>()
    const kept = new Set<Change>()
    for (const change of this.#unsynced.toReversed()) {
      if (!isWanted(change) && !change.some(({ dir, name }) => needed.get(dir)?.has(name))) continue
      kept.add(change)
      for (const { dir, name } of change) needed.set(dir, (needed.get(dir) ?? new Set()).add(name))
    }
    for (const { dir, name, node } of this.#unsynced.filter((change) => kept.has(change)).flat()) {
      if (node) dir.synced.set(name, node)
      else dir.synced.delete(name)
    }
    this.#unsynced = this.#unsynced.filter((change) => !kept.has(change))
  }

  #change(change: Change): void {
    for (const { dir, name, node } of change) {
      for (const changed of [dir, dir.entries.get(name), node]) if (changed) changed.entryChangedMs = this.nowMs
      dir.changedMs = this.nowMs
      if (node) dir.entries.set(name, node)
      else dir.entries.delete(name)
    }
    this.#unsynced.push(change)
    // The system writes what is old by itself.
    if (this.#unsynced.length > unsyncedMax) {
      const oldest = new Set(this.#unsynced.slice(0, unsyncedMax / 2))
      this.#keep((old) => oldest.has(old))
    }
    for (const { dir } of change) for (const onChange of this.#watchers.get(dir) ?? []) onChange()
  }

  #parentOf(path: string, call: string): Place {
    return this.#placeOf(path, call) ?? fail('ENOENT', call, path)
  }

  /** @returns undefined where a directory on the way is missing. */
  #placeOf(path: string, call: string): Place | undefined {
    const names = path.split('/').filter((name) => name !== '' && name !== '.')
    const name = names.pop() ?? ''
    let dir: Inode | undefined = this.#root
    for (const step of names) {
      dir = dir.entries.get(step)
      if (!dir) return undefined
      if (dir.kind === 'file') return fail('ENOTDIR', call, path)
    }
    return { dir, name, node: name === '' ? dir : dir.entries.get(name) }
  }
}

/** What a power cut leaves of a file that was not synced: the old bytes, the new ones, or their beginning and zeros. */
function tornData({ data, synced }: FileNode, random: Random): Buffer {
  const kind = random.pick(['old', 'new', 'cut off', 'zeros at the end'] as const)
  if (kind === 'old') return synced
  if (kind === 'new') return data
  const torn = Buffer.from(data.subarray(0, random.integer(0, data.length)))
  return kind === 'cut off' ? torn : Buffer.concat([torn, Buffer.alloc(data.length - torn.length)])
}

function fail(code: string, call: string, path: string): never {
  throw systemError(code, call, path)
}
