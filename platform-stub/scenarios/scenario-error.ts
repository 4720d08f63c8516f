/** A scenario that the stub cannot start from. Each line names a field, what is wrong with it and how to mend it. */
export class ScenarioError extends Error {
  override readonly name = 'ScenarioError'
  readonly lines: readonly string[]

  constructor(lines: readonly string[]) {
    super(lines.join('\n'))
    this.lines = lines
  }
}
