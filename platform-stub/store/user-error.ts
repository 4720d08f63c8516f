/** How a command ends that could not do its work: as the agent's, 2 for usage and addresses, 3 for what another holds. */
export const exitCodes = { failed: 1, usage: 2, held: 3 } as const
/** One of them. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/**
 * Something that the person at the command line can mend. Its message says what is wrong and how, in one line or
 * several, and is all that is shown of it.
 */
export class UserError extends Error {
  override readonly name: string = 'UserError'
  readonly exitCode: ExitCode = exitCodes.failed
}
