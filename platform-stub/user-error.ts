/** How a command ends that could not do its work, as the agent's: 2 for usage and addresses, 3 for what another process has locked. */
export const exitCodes = { failed: 1, usage: 2, locked: 3 } as const
/** One of them. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/**
 * Something that the person at the command line can correct. Its message says what is wrong and what to do, in one line
 * or several. Nothing else is shown.
 */
export class UserError extends Error {
  override readonly name: string = 'UserError'
  readonly exitCode: ExitCode = exitCodes.failed
}
