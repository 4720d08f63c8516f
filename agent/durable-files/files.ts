import type * as nodeFs from 'node:fs'

/** The calls of `node:fs` that the agent makes below its edge. */
type Calls =
  | 'chmodSync'
  | 'chownSync'
  | 'closeSync'
  | 'existsSync'
  | 'fstatSync'
  | 'fsync'
  | 'fsyncSync'
  | 'linkSync'
  | 'lstatSync'
  | 'mkdirSync'
  | 'open'
  | 'openSync'
  | 'opendirSync'
  | 'readSync'
  | 'readdirSync'
  | 'renameSync'
  | 'rmSync'
  | 'statSync'
  | 'unlink'
  | 'unlinkSync'
  | 'writeFileSync'

/** The files of a host. */
export interface Files extends Pick<typeof nodeFs, Calls> {
  /** The user of this process; undefined on Windows, which has neither their numbers nor a sync of directories. */
  readonly user: { readonly uid: number; readonly gid: number } | undefined
  /** 32 hex digits that nobody can guess, for the name of a temporary file. */
  newName(): string
}
