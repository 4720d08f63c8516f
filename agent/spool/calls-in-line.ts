import type { Turn } from '../call/turns.ts'

/** Claimed files whose item or transaction is busy: they hold no place while they wait for their turn. */
export class CallsInLine<Job> {
  readonly #jobs = new Set<Job>()
  readonly #stopping: AbortSignal
  readonly #resume: (work: () => Promise<void>) => void

  /**
   * @param stopping From when on no turn is of use any more: each is handed on, and its job stays among `jobs`.
   * @param resume Finds a place for a job whose turn has come.
   */
  constructor(stopping: AbortSignal, resume: (work: () => Promise<void>) => void) {
    this.#stopping = stopping
    this.#resume = resume
  }

  /** Those that wait. */
  get jobs(): ReadonlySet<Job> {
    return this.#jobs
  }

  /**
   * Resolves when the job needs its place no more: it went on, or waits for its turn.
   *
   * @param turn Of a line that the job has joined; undefined where there is none.
   */
  async goOn(
    job: Job,
    turn: Promise<Turn | undefined> | undefined,
    work: (turn: Turn | undefined) => Promise<void>,
  ): Promise<void> {
    if (!turn || (await isFulfilled(turn))) return work(await turn)
    this.#jobs.add(job)
    void turn.then((taken) => {
      if (this.#stopping.aborted) return taken?.release()
      this.#jobs.delete(job)
      this.#resume(() => work(taken))
    })
  }
}

/** Whether there is nothing to wait for. */
async function isFulfilled(promise: Promise<unknown>): Promise<boolean> {
  const no = Symbol('no')
  return (await Promise.race([promise, no])) !== no
}
