import { causeOf, cureOf } from '../durable-files/system-errors.ts'
import type { Log } from '../log/log.ts'

/** Whether messages can be handed over as files. A problem is reported once, and not at each look. */
export class FileProblem {
  readonly #log: Pick<Log, 'warn'>
  #cause: string | undefined

  constructor(log: Pick<Log, 'warn'>) {
    this.#log = log
  }

  get isThere(): boolean {
    return this.#cause !== undefined
  }

  /** @returns undefined where the files throw: it is tried again. */
  try<Result>(act: () => Result): Result | undefined {
    try {
      const result = act()
      this.#cause = undefined
      return result
    } catch (error) {
      const cause = causeOf(error as Error)
      const msg = 'orders cannot be handed over by files; it is tried again'
      if (this.#cause !== cause) this.#log.warn({ cause, cure: cureOf(error as Error) }, msg)
      this.#cause = cause
      return undefined
    }
  }
}
