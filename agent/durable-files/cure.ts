/** What a person can do about an error of the spool. */
export function cureOf(error: Error): string {
  return cures.get((error as NodeJS.ErrnoException).code) ?? 'look at the disk that the spool lies on'
}

const giveRights = "give the agent's user the right to write in outbox and inbox, and make no file there immutable"
const makeRoom = 'free space on the disk of the spool'
const moveAway = 'move away what stands at that name: it is no file of a request or an answer'
const allowMoreFiles = 'raise the limit of open files (LimitNOFILE in systemd)'

const cures: ReadonlyMap<string | undefined, string> = new Map([
  ['EACCES', giveRights],
  ['EPERM', giveRights],
  ['EROFS', 'mount the disk of the spool writable'],
  ['ENOSPC', makeRoom],
  ['EDQUOT', makeRoom],
  ['EMFILE', allowMoreFiles],
  ['ENFILE', allowMoreFiles],
  ['EISDIR', moveAway],
  ['ENOTDIR', moveAway],
  ['EEXIST', moveAway],
  ['ENOTEMPTY', moveAway],
  ['ELOOP', 'put a directory in the place of the link'],
  ['EXDEV', 'outbox and inbox must lie on one file system'],
  ['ENOENT', 'nothing, unless it goes on: outbox and inbox are made again'],
])
