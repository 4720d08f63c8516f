import { constants } from 'node:fs'
import type { Disk } from './disk.ts'
import type { FileNode, Inode } from './inode.ts'
import { systemError } from './system-error.ts'

/** A file or directory that a process has open. */
export interface OpenFile {
  readonly node: Inode
  readonly path: string
  readonly isForWriting: boolean
  readonly isForAppending: boolean
  /** Where the next read or write begins that names no position. */
  position: number
}

const { O_RDONLY, O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_TRUNC, O_APPEND } = constants
const accessMask = O_RDONLY | O_WRONLY | O_RDWR
const flagsByName: Readonly<Record<string, number>> = {
  r: O_RDONLY,
  'r+': O_RDWR,
  w: O_WRONLY | O_CREAT | O_TRUNC,
  wx: O_WRONLY | O_CREAT | O_EXCL,
  a: O_WRONLY | O_CREAT | O_APPEND,
}

/**
 * As many as a program has on most systems at least. A world has more than a hundred open at once when the answers to many
 * half-written files are written together.
 */
const openMax = 1_000
/** A program that has this many files open whose names are gone has forgotten to close them. Some day it could open no more. */
const forgottenMax = 50

/**
 * What one process has open on a disk.
 *
 * @throws {NodeJS.ErrnoException} In each method.
 */
export class OpenFiles {
  readonly #disk: Disk
  readonly #open = new Map<number, OpenFile>()
  #lastDescriptor = 20

  constructor(disk: Disk) {
    this.#disk = disk
  }

  open(path: string, flags: string | number, mode: number): number {
    if (this.#open.size === openMax || this.#forgetsFiles()) throw systemError('EMFILE', 'open', path)
    const bits = typeof flags === 'number' ? flags : (flagsByName[flags] ?? O_RDONLY)
    const isForWriting = (bits & accessMask) !== O_RDONLY
    const found = this.#disk.find(path, 'open')
    if (found && bits & O_CREAT && bits & O_EXCL) throw systemError('EEXIST', 'open', path)
    if (!found && !(bits & O_CREAT)) throw systemError('ENOENT', 'open', path)
    if (found?.kind === 'dir' && isForWriting) throw systemError('EISDIR', 'open', path)
    const node = found ?? this.#disk.create(path, mode)
    if (bits & O_TRUNC && node.kind === 'file') this.#setData(node, Buffer.alloc(0))
    this.#open.set(++this.#lastDescriptor, {
      node,
      path,
      isForWriting,
      isForAppending: (bits & O_APPEND) !== 0,
      position: 0,
    })
    return this.#lastDescriptor
  }

  /** Whether many files have lost the name under which they were opened. */
  #forgetsFiles(): boolean {
    if (this.#open.size < forgottenMax) return false
    const forgotten = this.#open.values().filter(({ path, node }) => this.#disk.find(path, 'open') !== node)
    return forgotten.toArray().length >= forgottenMax
  }

  get(fd: number, call: string): OpenFile {
    const file = this.#open.get(fd)
    if (!file) throw systemError('EBADF', call, String(fd))
    return file
  }

  close(fd: number): void {
    this.#open.delete(fd)
  }

  read(fd: number, into: Uint8Array, offset: number, length: number, position: number | null): number {
    const file = this.get(fd, 'read')
    const at = position ?? file.position
    const bytes = this.readAll(fd).subarray(at, at + length)
    into.set(bytes, offset)
    if (position === null) file.position += bytes.length
    return bytes.length
  }

  readAll(fd: number): Buffer {
    const { node, path } = this.get(fd, 'read')
    if (node.kind === 'dir') throw systemError('EISDIR', 'read', path)
    return node.data
  }

  write(fd: number, bytes: Uint8Array): void {
    const file = this.get(fd, 'write')
    if (file.node.kind === 'dir' || !file.isForWriting) throw systemError('EBADF', 'write', file.path)
    const { data } = file.node
    const at = file.isForAppending ? data.length : file.position
    const grown = Buffer.alloc(Math.max(data.length, at + bytes.length))
    grown.set(data)
    grown.set(bytes, at)
    file.position = at + bytes.length
    this.#setData(file.node, grown)
  }

  #setData(node: FileNode, data: Buffer): void {
    node.data = data
    node.changedMs = this.#disk.nowMs
    node.entryChangedMs = this.#disk.nowMs
  }
}
