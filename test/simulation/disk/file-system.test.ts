import * as nodeFs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { startHost } from '../fixtures/start-host.ts'
import type { ModelFs } from './model-fs.ts'

type Case = (fs: ModelFs, dir: string) => void | Promise<void>

async function onRealDisk(run: Case): Promise<void> {
  const dir = nodeFs.mkdtempSync(join(tmpdir(), 'file-system-'))
  try {
    await run(nodeFs, dir)
  } finally {
    nodeFs.rmSync(dir, { recursive: true })
  }
}

async function onModel(run: Case): Promise<void> {
  const started = startHost()
  started.host.disk.mkdir('/dir', 0o755)
  await started.run(({ fs }) => run(fs, '/dir'))
}

/** What a call throws, or gives to its callback as an error. */
async function failureOf(act: () => unknown): Promise<string> {
  try {
    await act()
    return 'none'
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    return `${code} ${syscall}`
  }
}

const { O_CREAT, O_EXCL, O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = nodeFs.constants

// Linux, because that is what the model is of.
describe.runIf(process.platform === 'linux').each([
  ['real disk', onRealDisk],
  ['model', onModel],
] as const)('on a %s', (_, on) => {
  test('a file that is written can be read, in parts and by any path', () =>
    on((fs, dir) => {
      const path = join(dir, 'file')
      fs.writeFileSync(path, 'some text')
      const fd = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
      const into = Buffer.alloc(6)
      expect([fs.readSync(fd, into, 1, 4, 5), into.toString('latin1')]).toEqual([4, '\0text\0'])
      expect([fs.readSync(fd, into, 0, 6, 7), fs.readSync(fd, into, 0, 6, 9)]).toEqual([2, 0])
      expect(fs.fstatSync(fd, { bigint: true }).size).toBe(9n)
      fs.closeSync(fd)
      expect(fs.readFileSync(`${dir}/./file`, 'utf8')).toBe('some text')
      fs.writeFileSync(path, 'less')
      expect(fs.readFileSync(path, 'utf8')).toBe('less')
      expect(fs.readFileSync(path)).toEqual(Buffer.from('less'))
    }))

  test('writes continue where the last one ended, or at the end of the file', () =>
    on((fs, dir) => {
      const path = join(dir, 'file')
      const fd = fs.openSync(path, 'wx', 0o644)
      fs.writeFileSync(fd, 'héllo ', 'latin1')
      expect(fs.writeSync(fd, Buffer.from('world'))).toBe(5)
      fs.closeSync(fd)
      const end = fs.openSync(path, 'a')
      fs.writeSync(end, Buffer.from('!'))
      fs.closeSync(end)
      const begin = fs.openSync(path, 'r+')
      fs.writeSync(begin, Buffer.from('H'))
      fs.closeSync(begin)
      expect(fs.readFileSync(path, 'latin1')).toBe('Héllo world!')
    }))

  test('a file can be written only if it is new, with its mode, and synced', () =>
    on(async (fs, dir) => {
      const path = join(dir, 'file')
      const write = () => fs.writeFileSync(path, 'text', { flag: 'wx', mode: 0o600, flush: true })
      write()
      const { mode, uid, gid } = fs.statSync(path)
      expect([mode & 0o777, uid, gid]).toEqual([0o600, process.getuid?.(), process.getgid?.()])
      fs.chownSync(path, uid, gid)
      expect(await failureOf(write)).toBe('EEXIST open')
    }))

  test('what cannot be opened says why', () =>
    on(async (fs, dir) => {
      fs.writeFileSync(join(dir, 'file'), '')
      expect(await failureOf(() => fs.openSync(join(dir, 'none'), 'r'))).toBe('ENOENT open')
      expect(await failureOf(() => fs.openSync(join(dir, 'none', 'file'), 'w'))).toBe('ENOENT open')
      expect(await failureOf(() => fs.openSync(join(dir, 'file', 'inside'), 'w'))).toBe('ENOTDIR open')
      expect(await failureOf(() => fs.openSync(join(dir, 'file'), 'wx'))).toBe('EEXIST open')
      expect(await failureOf(() => fs.openSync(join(dir, 'file'), O_WRONLY | O_CREAT | O_EXCL))).toBe('EEXIST open')
      expect(await failureOf(() => fs.openSync(dir, 'w'))).toBe('EISDIR open')
      expect(await failureOf(() => fs.readFileSync(dir, 'utf8'))).toBe('EISDIR read')
      expect(await failureOf(() => fs.closeSync(9_999))).toBe('EBADF close')
    }))

  test('a rename replaces what has the name and keeps the file', () =>
    on((fs, dir) => {
      const [from, to] = [join(dir, 'from'), join(dir, 'to')]
      fs.writeFileSync(from, 'new')
      fs.writeFileSync(to, 'old')
      const { ino } = fs.statSync(from, { bigint: true })
      const old = fs.openSync(to, 'r')
      fs.renameSync(from, to)
      expect([fs.existsSync(from), fs.readFileSync(to, 'utf8')]).toEqual([false, 'new'])
      expect(fs.lstatSync(to, { bigint: true }).ino).toBe(ino)
      // What is open stays readable.
      const into = Buffer.alloc(3)
      fs.readSync(old, into, 0, 3, 0)
      fs.closeSync(old)
      expect(into.toString()).toBe('old')
      fs.renameSync(to, to)
      expect(fs.readFileSync(to, 'utf8')).toBe('new')
    }))

  test('what cannot be renamed, linked or removed says why', () =>
    on(async (fs, dir) => {
      const [file, other, inside, empty] = ['file', 'other', 'full', 'empty'].map((name) => join(dir, name)) as [
        string,
        string,
        string,
        string,
      ]
      fs.writeFileSync(file, '')
      fs.mkdirSync(inside)
      fs.mkdirSync(empty)
      fs.writeFileSync(join(inside, 'x'), '')
      expect(await failureOf(() => fs.renameSync(other, file))).toBe('ENOENT rename')
      expect(await failureOf(() => fs.renameSync(file, join(other, 'x')))).toBe('ENOENT rename')
      expect(await failureOf(() => fs.renameSync(file, empty))).toBe('EISDIR rename')
      expect(await failureOf(() => fs.renameSync(empty, file))).toBe('ENOTDIR rename')
      expect(await failureOf(() => fs.renameSync(empty, inside))).toBe('ENOTEMPTY rename')
      expect(await failureOf(() => fs.linkSync(other, file))).toBe('ENOENT link')
      expect(await failureOf(() => fs.linkSync(file, join(inside, 'x')))).toBe('EEXIST link')
      expect(await failureOf(() => fs.unlinkSync(other))).toBe('ENOENT unlink')
      expect(await failureOf(() => fs.unlinkSync(empty))).toBe('EISDIR unlink')
      expect(await failureOf(() => fs.mkdirSync(empty))).toBe('EEXIST mkdir')
      expect(await failureOf(() => fs.readdirSync(other))).toBe('ENOENT scandir')
      expect(await failureOf(() => fs.statSync(other))).toBe('ENOENT stat')
      expect(await failureOf(() => fs.lstatSync(other))).toBe('ENOENT lstat')
      fs.renameSync(empty, other)
      expect(fs.readdirSync(dir).toSorted()).toEqual(['file', 'full', 'other'])
      fs.rmSync(join(dir, 'none'), { force: true })
      expect(await failureOf(() => fs.rmSync(join(dir, 'none')))).toMatch(/^ENOENT/)
    }))

  test('a link is the same file under a second name', () =>
    on((fs, dir) => {
      const [one, other] = [join(dir, 'one'), join(dir, 'other')]
      fs.writeFileSync(one, 'text')
      fs.linkSync(one, other)
      expect(fs.statSync(other).ino).toBe(fs.statSync(one).ino)
      fs.renameSync(one, other)
      expect(fs.readdirSync(dir).toSorted()).toEqual(['one', 'other'])
      fs.unlinkSync(one)
      expect(fs.readFileSync(other, 'utf8')).toBe('text')
    }))

  test('directories list what is in them, and say whether something is there', () =>
    on((fs, dir) => {
      for (const name of ['b', 'a']) fs.writeFileSync(join(dir, name), '')
      fs.mkdirSync(join(dir, 'c'), { mode: 0o700 })
      expect(fs.readdirSync(dir).toSorted()).toEqual(['a', 'b', 'c'])
      const open = fs.opendirSync(dir, { bufferSize: 2 })
      const names: string[] = []
      for (let entry = open.readSync(); entry; entry = open.readSync()) names.push(entry.name)
      open.closeSync()
      expect(names.toSorted()).toEqual(['a', 'b', 'c'])
      const [file, folder] = ['a', 'c'].map((name) => fs.lstatSync(join(dir, name)))
      expect([file?.isFile(), file?.isDirectory(), folder?.isFile(), folder?.isDirectory()]).toEqual([
        true,
        false,
        false,
        true,
      ])
      expect((folder?.mode ?? 0) & 0o777).toBe(0o700)
      expect(file?.isSymbolicLink()).toBe(false)
      expect(fs.statSync(join(dir, 'none'), { throwIfNoEntry: false })).toBeUndefined()
      expect(fs.lstatSync(join(dir, 'none'), { bigint: true, throwIfNoEntry: false })).toBeUndefined()
      expect(fs.realpathSync(dir)).toBe(dir)
      fs.chmodSync(join(dir, 'a'), 0o600)
      expect(fs.statSync(join(dir, 'a')).mode & 0o777).toBe(0o600)
    }))

  test('times tell a change of bytes from a change of names', () =>
    on(async (fs, dir) => {
      const [path, other] = [join(dir, 'file'), join(dir, 'other')]
      fs.writeFileSync(path, 'text')
      const before = fs.statSync(path, { bigint: true })
      const dirBefore = fs.statSync(dir, { bigint: true })
      await pass(fs, dir)
      fs.renameSync(path, other)
      const after = fs.statSync(other, { bigint: true })
      expect(after.mtimeNs).toBe(before.mtimeNs)
      expect(after.ctimeNs).toBeGreaterThan(before.ctimeNs)
      expect(fs.statSync(dir, { bigint: true }).mtimeNs).toBeGreaterThan(dirBefore.mtimeNs)
      expect(Number(after.ctimeNs / 1_000_000n)).toBe(Math.floor(fs.statSync(other).ctimeMs))
    }))

  test('calls with a callback do the same', () =>
    on(async (fs, dir) => {
      const [open, fsync, unlink] = [promisify(fs.open), promisify(fs.fsync), promisify(fs.unlink)]
      const path = join(dir, 'file')
      const fd = await open(path, 'wx', 0o644)
      fs.writeFileSync(fd, 'text', 'latin1')
      await fsync(fd)
      fs.closeSync(fd)
      const dirFd = fs.openSync(dir, 'r')
      await fsync(dirFd)
      fs.fsyncSync(dirFd)
      fs.closeSync(dirFd)
      expect(await failureOf(() => open(path, 'wx', 0o644))).toBe('EEXIST open')
      await unlink(path)
      expect(await failureOf(() => unlink(path))).toBe('ENOENT unlink')
    }))
})

/** Lets some time pass on the clock of a disk. */
async function pass(fs: ModelFs, dir: string): Promise<void> {
  const unlink = promisify(fs.unlink)
  const path = join(dir, 'tick')
  fs.writeFileSync(path, '')
  const { mtimeNs } = fs.statSync(path, { bigint: true })
  for (let now = mtimeNs; now <= mtimeNs; now = fs.statSync(path, { bigint: true }).mtimeNs) {
    await unlink(path)
    fs.writeFileSync(path, '')
  }
  await unlink(path)
}
