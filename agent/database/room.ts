import type { Clock } from '../clock/clock.ts'
import { codeOf } from '../durable-files/system-errors.ts'
import { StoreFullError } from './store-errors.ts'

const retryMs = 1_000

/** What `storeRoom` works with. */
interface RoomOptions {
  readonly clock: Clock
  /** Writes something small. Throws where there is no room for it. */
  readonly tryToWrite: () => void
  /** Called with the cause when there is no room any more, and without one when there is room again. */
  readonly onChange: (cause: Error | undefined) => void
}

/**
 * Knows whether a store has room. While it has none, it looks for room each second and each time that it is asked, so that
 * the agent works again soon after there is space.
 */
export function storeRoom({ clock, tryToWrite, onChange }: RoomOptions) {
  let cause: Error | undefined
  let cancelRetry: () => void = () => undefined

  /** Finds out whether there is room. */
  function look(): void {
    try {
      tryToWrite()
      report(undefined)
    } catch (error) {
      report(error as Error)
    }
  }

  /** A commit found no room, or there is room again. */
  function report(found: Error | undefined): void {
    const isChange = (found === undefined) !== (cause === undefined)
    cause = found
    cancelRetry()
    cancelRetry = cause ? clock.after(retryMs, look) : () => undefined
    if (isChange) onChange(cause)
  }

  return {
    look,
    /** Runs a commit that may fail. @throws {StoreFullError} There is no room for it. */
    commit<Result>(commit: () => Result): Result {
      try {
        return commit()
      } catch (error) {
        if (error instanceof StoreFullError) report(error)
        throw error
      }
    },
    report,
    /** @throws {StoreFullError} There is no room. */
    assert(): void {
      if (cause) look()
      if (cause) throw new StoreFullError(codeOf(cause), cause)
    },
    close: () => cancelRetry(),
  }
}
