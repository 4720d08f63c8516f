import { type FSWatcher, watch } from 'chokidar'

/** File events, which only make the next scan earlier. */
export interface OutboxEvents {
  turnOn(): void
  /** During a backlog: then no new file can be next, and each event costs more than the scan gains. */
  turnOff(): void
}

/**
 * @param onEvent Something in the outbox may have changed.
 * @param onError There are no events here.
 */
export function outboxEvents(outbox: string, onEvent: () => void, onError: (error: Error) => void): OutboxEvents {
  let watcher: FSWatcher | undefined
  return {
    turnOn() {
      if (watcher) return
      // The names in the directory are left out: to look at each would cost more than the scan that follows.
      watcher = watch(outbox, { depth: 0, ignoreInitial: true, ignored: (path) => path !== outbox })
      watcher.on('raw', onEvent)
      watcher.on('error', (error) => onError(error as Error))
    },
    turnOff() {
      void watcher?.close()
      watcher = undefined
    },
  }
}
