import { exampleOf, type SettingName } from '../config/settings.ts'

/** The settings that name directories of the agent's own. */
export type DirSetting = Extract<SettingName, 'SERVICE_STATE_DIR' | 'SERVICE_SPOOL_DIR'>

/** A directory that a setting names cannot be worked with. Nothing in it is damaged. The message says what to do. */
export class DirUnusableError extends Error {
  override readonly name = 'DirUnusableError'
  /** Starting again may be enough: there was no room, or too many files were open. */
  readonly mayPass: boolean

  constructor(setting: DirSetting, path: string, fault: Fault, cause: unknown) {
    super(`${setting}: ${path}: ${fault.problem}. ${fault.cure}. Example: ${exampleOf(setting)}`, { cause })
    this.mayPass = fault.mayPass ?? false
  }
}

interface Fault {
  readonly problem: string
  readonly cure: string
  readonly mayPass?: boolean
}

const noRoom: Fault = {
  problem: 'there is no room',
  cure: 'Free some space on its disk and start again',
  mayPass: true,
}
const tooManyOpen: Fault = {
  problem: 'too many files are open',
  cure: 'Raise the limit of open files (LimitNOFILE, ulimit -n)',
  mayPass: true,
}
const noRights: Fault = {
  problem: "the agent's user may not work with it",
  cure: 'Make that user the owner of the directory and of every file in it',
}
const notThere: Fault = { problem: 'no directory can be made there', cure: 'Name a place on a local disk' }
const isFile: Fault = { problem: 'a file stands where a directory must be', cure: 'Name a directory' }

const faults: Readonly<Record<string, Fault>> = {
  ENOSPC: noRoom,
  EDQUOT: noRoom,
  EMFILE: tooManyOpen,
  ENFILE: tooManyOpen,
  EIO: { problem: 'the disk fails', cure: 'Look at the disk first', mayPass: true },
  EROFS: { problem: 'its file system is read-only', cure: 'Mount it for writing, or name another directory' },
  EACCES: noRights,
  EPERM: noRights,
  ENOENT: notThere,
  ENOTDIR: isFile,
  EEXIST: isFile,
  EISDIR: { problem: 'a directory stands where a file must be', cure: 'Move it away' },
}

/** Whether starting again may be enough after this error of the system. */
export function mayPass(error: unknown): boolean {
  return faults[(error as NodeJS.ErrnoException | undefined)?.code ?? '']?.mayPass ?? false
}

/** What an error of the system means for a directory that a setting names. */
export function dirUnusable(setting: DirSetting, path: string, error: unknown): DirUnusableError {
  const { code, message } = error as NodeJS.ErrnoException
  const known = faults[code ?? '']
  const fault: Fault = known
    ? { ...known, problem: `${known.problem} (${code})` }
    : { problem: `cannot be worked with (${message})`, cure: 'Look at its disk and its rights', mayPass: true }
  return new DirUnusableError(setting, path, fault, error)
}
