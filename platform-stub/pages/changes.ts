import type { Clock } from '../clock/clock.ts'
import { refuse } from '../marketplace/refusal.ts'

/** Pages that are open at once, of everyone together. */
export const pageStreamsMax = 200
/** Open pages get changes at most this often. */
const pageChangesIntervalMs = 250
/** How often an open page's connection is written to, and the page looked at for what only time has changed. */
const pageBeatMs = 10_000

/** A page that is open somewhere, and whether what it shows may have changed since it was told. */
interface OpenPage {
  changed: PromiseWithResolvers<void>
}

/**
 * Tells open pages that what they show has changed, and nothing more. A page then fetches itself again, so that there is
 * one way in which it is made.
 */
export class Changes {
  readonly #clock: Clock
  readonly #startedMs: number
  readonly #pages = new Set<OpenPage>()
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
    if (this.#pages.size === 0) return
    if (this.#isQuiet) this.#isPending = true
    else this.#tellSoon()
  }

  /**
   * A stream of server-sent events: what `look` says now, and again whenever it says something else.
   *
   * @param look Names the state that the page shows, in one short line.
   * @throws {Refusal} TOO_MANY_PAGES: anybody can open one, and each holds a connection.
   */
  stream(look: () => string): Response {
    if (this.#pages.size >= pageStreamsMax) throw refuse('TOO_MANY_PAGES')
    const page: OpenPage = { changed: Promise.withResolvers() }
    this.#pages.add(page)
    let told: string | undefined
    const lines = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        if (told !== undefined) await this.#changed(page)
        // Its reader is gone, and the stream with it.
        if (!this.#pages.has(page)) return
        if (this.#isOver) {
          this.#pages.delete(page)
          return controller.close()
        }
        const seen = look()
        controller.enqueue(Buffer.from(seen === told ? ': still here\n\n' : `data: ${seen}\n\n`))
        told = seen
      },
      cancel: () => {
        this.#pages.delete(page)
        page.changed.resolve()
      },
    })
    return new Response(lines, { headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' } })
  }

  /**
   * Resolves when something may have changed, or is over. Some of what a page shows changes only with time, and a line
   * now and then finds connections that are gone.
   */
  async #changed(page: OpenPage): Promise<void> {
    const cancelBeat = this.#clock.after(pageBeatMs, page.changed.resolve)
    await page.changed.promise
    cancelBeat()
    page.changed = Promise.withResolvers()
  }

  /** Ends every stream: an open page must not keep the stub from ending. */
  close(): void {
    this.#isOver = true
    this.#wakeAll()
  }

  #wakeAll(): void {
    for (const { changed } of this.#pages) changed.resolve()
  }

  /** The first change is sent at once. Changes that follow closely are sent together. */
  #tellSoon(): void {
    this.#isQuiet = true
    this.#clock.after(0, () => this.#wakeAll())
    this.#clock.after(pageChangesIntervalMs, () => {
      this.#isQuiet = false
      if (!this.#isPending) return
      this.#isPending = false
      this.#tellSoon()
    })
  }
}
