import { constants } from 'node:os'
import { cures } from '../language/cures.ts'
import { say } from '../language/say.ts'

/** What an error of the operating system means, and what a person can do about it. */
interface SystemErrorMeaning {
  readonly problem: () => string
  readonly cure: () => string
  /** Trying again later may be enough. */
  readonly mayPass?: boolean
}

const noRight: SystemErrorMeaning = {
  problem: () => say`the agent's user may not work with it`,
  cure: cures.giveRights,
}
const tooManyOpen: SystemErrorMeaning = {
  problem: () => say`too many files are open`,
  cure: cures.raiseOpenFiles,
  mayPass: true,
}
const fileInTheWay: SystemErrorMeaning = {
  problem: () => say`a file is where a directory must be`,
  cure: cures.moveFile,
}
const dirInTheWay: SystemErrorMeaning = {
  problem: () => say`a directory is where a file must be`,
  cure: cures.moveDir,
}

/** The one table from the code of a system error to its meaning, for the journal, the spool and the settings. */
const systemErrors: Readonly<Record<string, SystemErrorMeaning>> = {
  ENOSPC: { problem: () => say`the disk is full`, cure: cures.freeSpace, mayPass: true },
  EDQUOT: {
    problem: () => say`the disk quota of the agent's user is used up`,
    cure: cures.freeSpaceOrQuota,
    mayPass: true,
  },
  EMFILE: tooManyOpen,
  ENFILE: tooManyOpen,
  EIO: { problem: () => say`the disk fails`, cure: cures.lookAtDisk, mayPass: true },
  EROFS: {
    problem: () => say`its file system is read-only`,
    cure: cures.mountForWriting,
  },
  EACCES: noRight,
  EPERM: noRight,
  ENOENT: { problem: () => say`no such file`, cure: cures.makeParent },
  ENOTDIR: fileInTheWay,
  EEXIST: fileInTheWay,
  EISDIR: dirInTheWay,
  ENOTEMPTY: dirInTheWay,
  ELOOP: {
    problem: () => say`a link is where a directory must be`,
    cure: cures.replaceLink,
  },
  ESPIPE: { problem: () => say`it is a pipe, which can be read only once`, cure: cures.giveFile },
  ENAMETOOLONG: { problem: () => say`its name is too long`, cure: cures.shortenPath },
  EXDEV: { problem: () => say`it is on another file system`, cure: cures.joinOutboxAndInbox },
}

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
  return meaningOf(error)?.problem() ?? say`it cannot be used`
}

/** What a person can do about an error. */
export function cureOf(error: Error): string {
  return meaningOf(error)?.cure() ?? cures.lookAtDiskAndRights()
}

/** Whether trying again later may be enough. This is also true for an error that is not in the table. */
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
