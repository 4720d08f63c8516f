import { constants } from 'node:os'

/** What an error of the operating system means, and what a person can do about it. */
interface SystemErrorMeaning {
  readonly problem: string
  /** An imperative, so that it follows "cure:" as well as a full stop. */
  readonly cure: string
  /** Trying again later may be enough. */
  readonly mayPass?: boolean
}

const noRight: SystemErrorMeaning = {
  problem: "the agent's user may not work with it",
  cure: "give the agent's user the right to write and read there, and make no file there immutable",
}
const tooManyOpen: SystemErrorMeaning = {
  problem: 'too many files are open',
  cure: 'raise the limit of open files (LimitNOFILE in systemd, ulimit -n)',
  mayPass: true,
}
const fileInTheWay: SystemErrorMeaning = {
  problem: 'a file is where a directory must be',
  cure: 'move away that file, or name another directory',
}
const dirInTheWay: SystemErrorMeaning = {
  problem: 'a directory is where a file must be',
  cure: 'move away that directory',
}

/** The one table from the code of a system error to its meaning, for the journal, the spool and the settings. */
const systemErrors: Readonly<Record<string, SystemErrorMeaning>> = {
  ENOSPC: { problem: 'the disk is full', cure: 'free space on its disk', mayPass: true },
  EDQUOT: {
    problem: "the disk quota of the agent's user is used up",
    cure: 'free space on its disk, or raise the quota',
    mayPass: true,
  },
  EMFILE: tooManyOpen,
  ENFILE: tooManyOpen,
  EIO: { problem: 'the disk fails', cure: 'look at the disk first', mayPass: true },
  EROFS: { problem: 'its file system is read-only', cure: 'mount it for writing, or name another directory' },
  EACCES: noRight,
  EPERM: noRight,
  ENOENT: { problem: 'no such file', cure: 'see that its directory exists, on a local disk' },
  ENOTDIR: fileInTheWay,
  EEXIST: fileInTheWay,
  EISDIR: dirInTheWay,
  ENOTEMPTY: dirInTheWay,
  ELOOP: { problem: 'a link is where a directory must be', cure: 'put a directory in the place of the link' },
  EXDEV: { problem: 'it is on another file system', cure: 'put outbox and inbox on one file system' },
}

const unknownCure = 'look at its disk and its rights'

/** The code of a system error. Node has no name for a used-up quota and gives its number only. */
export function codeOf(error: unknown): string | undefined {
  const { code, errno } = (error ?? {}) as NodeJS.ErrnoException
  return errno === -constants.errno.EDQUOT ? 'EDQUOT' : code
}

function meaningOf(error: unknown): SystemErrorMeaning | undefined {
  return systemErrors[codeOf(error) ?? '']
}

/** What is wrong, in words. */
export function problemOf(error: unknown): string {
  return meaningOf(error)?.problem ?? 'it cannot be used'
}

/** What a person can do about an error. */
export function cureOf(error: Error): string {
  return meaningOf(error)?.cure ?? unknownCure
}

/** Whether trying again later may be enough. So it is for an error that is not in the table. */
export function mayPass(error: unknown): boolean {
  const meaning = meaningOf(error)
  return meaning ? meaning.mayPass === true : true
}

/** The code of an error and its text, each once. */
export function causeOf(error: Error): string {
  const code = codeOf(error)
  return code === undefined || error.message.startsWith(code) ? error.message : `${code}: ${error.message}`
}

/** There is no space for a write, on the disk or in the quota. */
export function isOutOfSpace(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(codeOf(error) ?? '')
}

/** There is no such file, or no such directory. */
export function isGone(error: unknown): boolean {
  return codeOf(error) === 'ENOENT'
}
