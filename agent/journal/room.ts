import type { Clock } from '../clock/clock.ts'
import { StoreFullError } from '../database/store-errors.ts'
import { codeOf } from '../durable-files/system-errors.ts'
import type { Ballast } from './ballast.ts'

const retryMs = 1_000

/** What `journalRoom` works with. */
interface RoomOptions {
  readonly ballast: Ballast
  readonly clock: Clock
  /** Commits something small. */
  readonly tryToCommit: () => void
  /** Called with the cause when there is no room any more, and without one when there is room again. */
  readonly onChange: (cause: Error | undefined) => void
}

/**
 * Knows whether the journal has room for new calls. While it has none, it looks for room each second and at each call, so
 * that calls are taken again soon after there is space.
 */
export function journalRoom({ ballast, clock, tryToCommit, onChange }: RoomOptions) {
  let cause: Error | undefined
  let cancelRetry: () => void = () => undefined

  /** Finds out whether there is room: for the ballast and for a commit beside it. */
  function look(): void {
    try {
      ballast.fill()
      tryToCommit()
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
    report,
    /** @throws {StoreFullError} There is no room for a new call. */
    assert(): void {
      if (cause) look()
      if (cause) throw new StoreFullError(codeOf(cause), cause)
    },
    /** As `report`, for a commit that must succeed because its call was already sent: makes room by dropping the ballast. */
    giveUpBallast(found: StoreFullError): void {
      ballast.drop()
      report(found)
    },
    close: () => cancelRetry(),
  }
}
