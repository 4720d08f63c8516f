import type { Cell } from './figures.ts'
import type { Goal } from './goals.ts'

/** What the command line asked for. */
export interface BenchSettings {
  readonly rounds: number
  readonly secondsPerCell: number
  /** Numbers of calls in flight. */
  readonly inFlight: readonly number[]
  /** Starts the agent: the program and its arguments. */
  readonly agentCommand: readonly string[]
  /** Starts the stub: the program, without its arguments. */
  readonly stubCommand: readonly string[]
  /** Reports what is being measured. */
  readonly progress: (what: string) => void
}

/** A part of the benchmark. It starts all that it needs, so it can run alone. */
export interface Section {
  /** For the command line and for its block in docs/benchmarks.md. */
  readonly name: string
  readonly title: string
  /** How to read the table: what was done, and what the figures contain. */
  readonly about: string
  readonly goals: readonly Goal[]
  /** @throws {Error} Something broke, such as a refused call. */
  readonly measure: (settings: BenchSettings) => Promise<Cell[]>
}
