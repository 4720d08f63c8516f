/** What the command line asked for. */
export interface BenchSettings {
  readonly rounds: number
  readonly secondsPerCell: number
  /** Numbers of calls in flight, each a row. */
  readonly inFlight: readonly number[]
  /** Starts the agent: the program and its arguments. */
  readonly agentCommand: readonly string[]
  /** Starts the stub: the program, without its arguments. */
  readonly stubCommand: readonly string[]
  /** Whether the backlog of 100,000 files is among those measured. */
  readonly hugeBacklog: boolean
  /** Tells the person who waits what is under way. */
  readonly progress: (what: string) => void
}

/** A part of the benchmark that stands alone: it starts what it needs, measures, and writes its own text. */
export interface Section {
  /** For the command line, and for its place in docs/benchmarks.md. */
  readonly name: string
  readonly title: string
  /**
   * @returns Markdown, headings from level 3 on.
   * @throws {Error} Something broke. A goal that is missed is a figure, not an error.
   */
  readonly run: (settings: BenchSettings) => Promise<string>
}
