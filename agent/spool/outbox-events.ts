import { type FSWatcher, watch } from 'chokidar'

/**
 * The file events of the outbox, which only wake the scan earlier. They are left alone while there is so much to do that
 * nothing that comes can be next: each of them costs more than the scan gains.
 */
export class OutboxEvents {
  readonly #outbox: string
  readonly #happened: () => void
  readonly #failed: (error: Error) => void
  #watcher: FSWatcher | undefined

  /**
   * @param happened Something in the outbox may have changed.
   * @param failed There are no events here.
   */
  constructor(outbox: string, happened: () => void, failed: (error: Error) => void) {
    this.#outbox = outbox
    this.#happened = happened
    this.#failed = failed
  }

  listen(): void {
    if (this.#watcher) return
    // Only that something happened is of use: the names in the directory are left out, for looking at each would cost
    // more than the scan that follows.
    this.#watcher = watch(this.#outbox, { depth: 0, ignoreInitial: true, ignored: (path) => path !== this.#outbox })
    this.#watcher.on('raw', this.#happened)
    this.#watcher.on('error', (error) => this.#failed(error as Error))
  }

  rest(): void {
    void this.#watcher?.close()
    this.#watcher = undefined
  }
}
