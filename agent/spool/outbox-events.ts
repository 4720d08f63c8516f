/**
 * Calls back when something in a directory may have changed.
 *
 * @param onError There are no file events here.
 * @returns Stops it.
 */
export type WatchDir = (dir: string, onEvent: () => void, onError: (error: Error) => void) => () => void

/** File events, which only make the next scan earlier. */
export interface OutboxEvents {
  turnOn(): void
  /** During a backlog: then no new file can be next, and each event costs more than the scan gains. */
  turnOff(): void
}

/** @param watch Watches the outbox. */
export function outboxEvents(watch: () => () => void): OutboxEvents {
  let stop: (() => void) | undefined
  return {
    turnOn() {
      stop ??= watch()
    },
    turnOff() {
      stop?.()
      stop = undefined
    },
  }
}
