import type * as nodeFs from 'node:fs'
import { posix } from 'node:path'
import type { ModelProcess } from '../process.ts'
import type { Disk } from './disk.ts'
import type { DiskFaults } from './disk-faults.ts'
import { OpenFiles } from './open-files.ts'
import { statsOf } from './stats.ts'
import { systemError } from './system-error.ts'

interface StatOptions {
  readonly bigint?: boolean
  readonly throwIfNoEntry?: boolean
}

interface WriteOptions {
  readonly encoding?: Encoding
  readonly flag?: string
  readonly mode?: number
  readonly flush?: boolean
}

type Encoding = 'utf8' | 'latin1'
type Callback<Result> = (error: NodeJS.ErrnoException | null, result?: Result) => void

/** The part of `node:fs` that the model has. */
export type ModelFs = Pick<typeof nodeFs, keyof ReturnType<typeof callsOf>>

/**
 * `node:fs` over a model disk, as far as it is used, for one process. Synchronous calls take no virtual time; those with
 * a callback do.
 */
export function modelFs(disk: Disk, faults: DiskFaults, process: ModelProcess): ModelFs {
  return callsOf(disk, faults, process) as unknown as ModelFs
}

function callsOf(disk: Disk, faults: DiskFaults, process: ModelProcess) {
  const files = new OpenFiles(disk)

  /** A synchronous system call. */
  function call<Result>(name: string, path: string, effect: () => Result): Result {
    process.enter(`${name} ${path}`)
    return unlessFault(name, path, effect)
  }

  /** A system call of Node's thread pool. */
  function pooled<Result>(name: string, path: string, effect: () => Result, callback: Callback<Result>): void {
    const delayMs = process.random.magnitude(0.05, faults.slowMsMax.value)
    const ended = process.enterSlowly(`${name} ${path}`, delayMs, () => unlessFault(name, path, effect))
    ended.then(
      (result) => callback(null, result),
      (error: NodeJS.ErrnoException) => callback(error),
    )
  }

  function unlessFault<Result>(name: string, path: string, effect: () => Result): Result {
    const failure = faults.failureOf(name, path)
    if (!failure) return effect()
    if (failure.isMade) effect()
    const node = name === 'fsync' && disk.find(path, name)
    if (node) disk.loseUnsynced(node)
    throw systemError(failure.code, name === 'create' ? 'open' : name, path)
  }

  /** A fault may be about new files only. */
  const openingOf = (path: string) => (disk.find(path, 'open') ? 'open' : 'create')
  const pathOf = (fd: number, name: string) => files.get(fd, name).path

  function stat(name: string, path: string, { bigint = false, throwIfNoEntry = true }: StatOptions) {
    return call(name, path, () => {
      const node = disk.find(path, name)
      if (!node && throwIfNoEntry) throw systemError('ENOENT', name, path)
      return node && statsOf(node, bigint)
    })
  }

  function open(path: string, flags: string | number, mode: number): number {
    return call(openingOf(path), path, () => files.open(path, flags, mode))
  }

  function close(fd: number): void {
    call('close', pathOf(fd, 'close'), () => files.close(fd))
  }

  function write(fd: number, bytes: Uint8Array): number {
    call('write', pathOf(fd, 'write'), () => files.write(fd, bytes))
    return bytes.length
  }

  function fsyncNow(fd: number): void {
    const { path, node } = files.get(fd, 'fsync')
    call('fsync', path, () => disk.sync(node))
  }

  function namesIn(path: string): string[] {
    return call('readdir', path, () => disk.readdir(path))
  }

  return {
    openSync: (path: string, flags: string | number = 'r', mode = 0o666) => open(path, flags, mode),
    open: (path: string, flags: string | number, mode: number, callback: Callback<number>) =>
      pooled(openingOf(path), path, () => files.open(path, flags, mode), callback),
    closeSync: close,
    readSync: (fd: number, into: Uint8Array, offset: number, length: number, position: number | null) =>
      call('read', pathOf(fd, 'read'), () => files.read(fd, into, offset, length, position)),
    writeSync: write,
    fsyncSync: fsyncNow,
    fsync: (fd: number, callback: Callback<void>) => {
      const { path, node } = files.get(fd, 'fsync')
      pooled('fsync', path, disk.beginSync(node), callback)
    },
    fstatSync: (fd: number, { bigint = false }: StatOptions = {}) => {
      const { path, node } = files.get(fd, 'fstat')
      return call('fstat', path, () => statsOf(node, bigint))
    },
    statSync: (path: string, options: StatOptions = {}) => stat('stat', path, options),
    lstatSync: (path: string, options: StatOptions = {}) => stat('lstat', path, options),
    existsSync: (path: string) => call('access', path, () => disk.find(path, 'access') !== undefined),
    readFileSync: (path: string, encoding?: Encoding) => {
      const fd = open(path, 'r', 0)
      try {
        const bytes = call('read', path, () => files.readAll(fd))
        return encoding ? bytes.toString(encoding) : bytes
      } finally {
        close(fd)
      }
    },
    /** Not in one step: a process that dies in between leaves an empty file. */
    writeFileSync: (target: string | number, text: string, options: Encoding | WriteOptions = {}) => {
      const {
        encoding,
        flag = 'w',
        mode = 0o666,
        flush,
      } = typeof options === 'string' ? { encoding: options } : options
      const bytes = Buffer.from(text, encoding ?? 'utf8')
      if (typeof target === 'number') return void write(target, bytes)
      const fd = open(target, flag, mode)
      try {
        write(fd, bytes)
        if (flush) fsyncNow(fd)
      } finally {
        close(fd)
      }
    },
    readdirSync: (path: string) => namesIn(path),
    opendirSync: (path: string) => {
      const names = namesIn(path)
      const fd = files.open(path, 'r', 0)
      const entries = names.map((name) => {
        const kind = disk.find(posix.join(path, name), 'readdir')?.kind
        return { name, isFile: () => kind === 'file' }
      })
      const readSync = () => entries.shift() ?? null
      return { readSync, closeSync: () => files.close(fd) }
    },
    renameSync: (from: string, to: string) => call('rename', from, () => disk.rename(from, to)),
    linkSync: (from: string, to: string) => call('link', from, () => disk.link(from, to)),
    unlinkSync: (path: string) => call('unlink', path, () => disk.unlink(path)),
    unlink: (path: string, callback: Callback<void>) => pooled('unlink', path, () => disk.unlink(path), callback),
    rmSync: (path: string, { force = false }: { readonly force?: boolean } = {}) =>
      call('unlink', path, () => {
        if (!force || disk.find(path, 'unlink')) disk.unlink(path)
      }),
    mkdirSync: (path: string, { mode = 0o777 }: { readonly mode?: number } = {}) =>
      call('mkdir', path, () => disk.mkdir(path, mode)),
    /** There is one user and one group. */
    chownSync: (path: string, _uid: number, _gid: number) => call('chown', path, () => void disk.get(path, 'chown')),
    chmodSync: (path: string, mode: number) => call('chmod', path, () => disk.chmod(path, mode)),
    realpathSync: (path: string) =>
      call('realpath', path, () => {
        disk.get(path, 'realpath')
        return path
      }),
  }
}
