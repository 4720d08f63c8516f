import { BrokenPromise } from '../../simulation.ts'

/** Collects what was broken. The first one counts. */
export class Judge {
  #violation: BrokenPromise | undefined

  /** @param promise One sentence, the same for each run. @param facts Of this run. */
  readonly break = (promise: string, facts?: string): void => {
    this.#violation ??= new BrokenPromise(promise, facts)
  }

  /** @throws {BrokenPromise} */
  assertKept(): void {
    if (this.#violation) throw this.#violation
  }
}

/** Says that a promise is broken. */
export type Break = Judge['break']

/** What promises about one process of an agent work with. */
export interface ProcessParts {
  readonly break: Break
  /** When the process that runs now was started. */
  readonly startedMs: () => number
  readonly nowMs: () => number
}
