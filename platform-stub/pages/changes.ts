import type { Clock } from '../clock/clock.ts'
import { stubLimits } from '../store/stub-limits.ts'

/**
 * Tells open pages that what they show has changed. It says so and no more: a page asks for itself again, so that there
 * is one way in which it is made.
 */
export class Changes {
  readonly #clock: Clock
  readonly #startedMs: number
  readonly #watchers = new Set<Watcher>()
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

  /** Something changed that stands in no table. */
  note(): void {
    this.#noted++
    this.lookAgain()
  }

  /** Something may have changed: whoever watches looks. Costs next to nothing while nobody does. */
  lookAgain(): void {
    if (this.#watchers.size === 0) return
    if (this.#isQuiet) this.#isPending = true
    else this.#tellSoon()
  }

  /**
   * A stream of server-sent events: what `look` says now, and again whenever it says something else.
   *
   * @param look Names the state that the page shows; one short line.
   */
  stream(look: () => string): ReadableStream<Uint8Array> {
    let watcher: Watcher | undefined
    return new ReadableStream<Uint8Array>({
      start: (controller) => {
        watcher = new Watcher(controller, look, this.#clock)
        if (this.#isOver) return watcher.close()
        this.#watchers.add(watcher)
      },
      cancel: () => {
        if (!watcher) return
        watcher.end()
        this.#watchers.delete(watcher)
      },
    })
  }

  /** Ends every stream: an open page must not keep the stub from ending. */
  close(): void {
    this.#isOver = true
    for (const watcher of this.#watchers) watcher.close()
    this.#watchers.clear()
  }

  /** The first change is told at once, and those that follow on its heels together. */
  #tellSoon(): void {
    this.#isQuiet = true
    this.#clock.after(0, () => {
      for (const watcher of this.#watchers) watcher.tell()
    })
    this.#clock.after(stubLimits.pageChangesIntervalMs, () => {
      this.#isQuiet = false
      if (!this.#isPending) return
      this.#isPending = false
      this.#tellSoon()
    })
  }
}

/** One open page. */
class Watcher {
  readonly #controller: ReadableStreamDefaultController<Uint8Array>
  readonly #look: () => string
  readonly #clock: Clock
  readonly #encoder = new TextEncoder()
  #said: string | undefined
  #cancelBeat: () => void = () => undefined

  constructor(controller: ReadableStreamDefaultController<Uint8Array>, look: () => string, clock: Clock) {
    this.#controller = controller
    this.#look = look
    this.#clock = clock
    this.#send(`retry: ${stubLimits.pageRetryMs}\n\n`)
    this.#beat()
  }

  tell(): void {
    const seen = this.#look()
    if (seen === this.#said) return
    this.#said = seen
    this.#send(`data: ${seen}\n\n`)
  }

  end(): void {
    this.#cancelBeat()
  }

  close(): void {
    this.end()
    this.#controller.close()
  }

  /** Some of what a page shows changes with time alone; and a line now and then finds connections that are gone. */
  #beat(): void {
    this.#send(': still here\n\n')
    this.tell()
    this.#cancelBeat = this.#clock.after(stubLimits.pageBeatMs, () => this.#beat())
  }

  #send(text: string): void {
    this.#controller.enqueue(this.#encoder.encode(text))
  }
}

/** Headers of a stream of server-sent events. */
export const eventStreamHeaders = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' }
