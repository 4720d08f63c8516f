import type { Turn } from '../call/turn.ts'

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
   * @param deadlineMs Monotonic. The job goes on then, whether its turn has come or not.
   */
  async goOn(job: Job, turn: Turn, deadlineMs: number, work: () => Promise<void>): Promise<void> {
    if (!turn.mustWait) return work()
    this.#jobs.add(job)
    void turn.wait(deadlineMs).then(() => {
      if (this.#stopping.aborted) return turn.release()
      this.#jobs.delete(job)
      this.#resume(work)
    })
  }
}
