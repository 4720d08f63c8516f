import { asSentence } from '../language/problem.ts'
import { examplePath } from './example-path.ts'
import { codeOf, cureOf, mayPass, problemOf } from './system-errors.ts'

/** The settings that name directories of the agent's own, each with an example. */
export const dirSettings = {
  SERVICE_SPOOL_DIR: examplePath('/var/spool/market-agent'),
  SERVICE_STATE_DIR: examplePath('/var/lib/market-agent'),
} as const

/** The name of one of them. */
export type DirSetting = keyof typeof dirSettings

/** A directory that a setting names cannot be used. Nothing in it is damaged. The message says what to do. */
export class DirUnusableError extends Error {
  override readonly name = 'DirUnusableError'
  /** Starting again may be enough: for example the disk was full, or too many files were open. */
  readonly mayPass: boolean

  constructor(setting: DirSetting, path: string, problem: string, cure: string, cause: unknown, mayPass = false) {
    super(`${setting}: ${path}: ${problem}. ${asSentence(cure)}. Example: ${dirSettings[setting]}`, { cause })
    this.mayPass = mayPass
  }
}

/** What a system error means for a directory that a setting names. */
export function dirUnusable(setting: DirSetting, path: string, error: unknown): DirUnusableError {
  const problem = `${problemOf(error)} (${codeOf(error) ?? (error as Error).message})`
  return new DirUnusableError(setting, path, problem, cureOf(error as Error), error, mayPass(error))
}
