import type { Inode } from './inode.ts'

/** The one user of a model disk is the one that runs the tests. */
const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
const dirSize = 4_096

/** What `stat` says about a file or directory, as far as it is used: in numbers, or in bigints. */
export function statsOf(node: Inode, isBigint: boolean): object {
  const { kind, ino, mode, changedMs: mtimeMs, entryChangedMs: ctimeMs } = node
  const numbers = { ino, mode, dev: 1, uid, gid, size: kind === 'file' ? node.data.length : dirSize }
  const methods = {
    isFile: () => kind === 'file',
    isDirectory: () => kind === 'dir',
    isSymbolicLink: () => false,
  }
  if (!isBigint) return { ...numbers, mtimeMs, ctimeMs, ...methods }
  const bigints = Object.entries(numbers).map(([name, value]) => [name, BigInt(value)])
  const nanoseconds = (ms: number) => BigInt(ms) * 1_000_000n
  return { ...Object.fromEntries(bigints), mtimeNs: nanoseconds(mtimeMs), ctimeNs: nanoseconds(ctimeMs), ...methods }
}
