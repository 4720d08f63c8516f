import { exitCodes, UserError } from '../../server/user-error.ts'

/** A scenario that the stub cannot start from. Each line names a field, what is wrong with it and how to mend it. */
export class ScenarioError extends UserError {
  override readonly name = 'ScenarioError'
  override readonly exitCode = exitCodes.usage
  readonly lines: readonly string[]

  constructor(lines: readonly string[]) {
    super(lines.join('\n'))
    this.lines = lines
  }
}
