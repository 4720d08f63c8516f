import type { Context } from 'hono'
import { streamSSE } from 'hono/streaming'
import type { Clock } from '../clock/clock.ts'
import { refuse } from '../marketplace/refusal.ts'
import { stubLimits } from '../store/stub-limits.ts'

/**
 * Tells open pages that what they show has changed, and nothing more. A page then fetches itself again, so that there is
 * one way in which it is made.
 */
export class Changes {
  readonly #clock: Clock
  readonly #startedMs: number
  /** One entry for each open page: what to do when something may have changed, and how to end its stream. */
  readonly #watchers = new Map<() => void, () => void>()
  #noted = 0
  #isPending = false
  #isOver = false
  #isQuiet = false

  constructor(clock: Clock) {
    this.#clock = clock
    this.#startedMs = clock.nowMs()
  }

  /** Names what was noted so far; another name after every start of the stub. */
  get version(): string {
    return `${this.#startedMs}.${this.#noted}`
  }

  /** Something changed that is in no table. */
  note(): void {
    this.#noted++
    this.lookAgain()
  }

  /** Something may have changed. Costs next to nothing while no page is open. */
  lookAgain(): void {
    if (this.#watchers.size === 0) return
    if (this.#isQuiet) this.#isPending = true
    else this.#tellSoon()
  }

  /**
   * Answers with a stream of server-sent events: what `look` says now, and again whenever it says something else.
   *
   * @param look Names the state that the page shows, in one short line.
   * @throws {Refusal} TOO_MANY_PAGES: anybody can open one, and each holds a connection.
   */
  stream(context: Context, look: () => string): Response {
    if (this.#watchers.size >= stubLimits.pageStreamsMax) throw refuse('TOO_MANY_PAGES')
    return streamSSE(context, async (stream) => {
      const ended = Promise.withResolvers<void>()
      let told: string | undefined
      let cancelBeat = (): void => undefined
      const tell = () => {
        const seen = look()
        if (seen === told) return
        told = seen
        void stream.writeSSE({ data: seen })
      }
      // Some of what a page shows changes with time alone. A line now and then also finds connections that are gone.
      const beat = () => {
        void stream.write(': still here\n\n')
        tell()
        cancelBeat = this.#clock.after(stubLimits.pageBeatMs, beat)
      }
      stream.onAbort(ended.resolve)
      if (this.#isOver || stream.aborted) return
      this.#watchers.set(tell, ended.resolve)
      void stream.write(`retry: ${stubLimits.pageRetryMs}\n\n`)
      beat()
      await ended.promise
      cancelBeat()
      this.#watchers.delete(tell)
    })
  }

  /** Ends every stream: an open page must not keep the stub from ending. */
  close(): void {
    this.#isOver = true
    for (const end of this.#watchers.values()) end()
  }

  /** The first change is sent at once. Changes that follow closely are sent together. */
  #tellSoon(): void {
    this.#isQuiet = true
    this.#clock.after(0, () => {
      for (const tell of this.#watchers.keys()) tell()
    })
    this.#clock.after(stubLimits.pageChangesIntervalMs, () => {
      this.#isQuiet = false
      if (!this.#isPending) return
      this.#isPending = false
      this.#tellSoon()
    })
  }
}
