import type { RealTime } from '../clock/clock.ts'
import type { ControlParts } from '../developer/control/control-parts.ts'
import type { Random } from '../marketplace/random.ts'
import type { Settings } from '../marketplace/settings.ts'
import { connectParts } from './connect-parts.ts'
import { makeDoors } from './doors.ts'
import type { Log } from './log.ts'
import { openPlatform } from './open-platform.ts'

/** What a stub is started with. */
export interface StubOptions {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  /** The stub's address as players and game servers see it; null where that is the address it listens on. */
  readonly publicUrl: string | null
  /** Where the control routes listen if they have a port of their own; 0 takes a free one, null the port above. */
  readonly developerPort: number | null
  /** Null keeps everything in memory. */
  readonly dataDirectory: string | null
  readonly settings: Settings
  readonly time: RealTime
  readonly random: Random
  /** Makes the log, which says the stub's own time. */
  readonly makeLog: (nowMs: () => number) => Log
  /** Name and version, for `/health`. */
  readonly service: string
  /** Called when the store can no longer be trusted: the process has to end. */
  readonly onFatal: (error: Error) => void
  /** Brings the platform into a state before the first request is answered. What it throws ends the start. */
  readonly prepare?: (parts: ControlParts, stubUrl: string) => Promise<void>
}

/** A stub that listens. */
export interface RunningStub {
  /** Where it listens; without a trailing slash, like the others. */
  readonly url: string
  /** Where players and game servers see it. */
  readonly publicUrl: string
  /** Where control routes and console are. */
  readonly developerUrl: string
  readonly log: Log
  /** Takes nothing new, finishes what is in flight within 10 s, closes the database. */
  close(): Promise<void>
}

/**
 * Starts the whole platform in this process: its store, what works on it, and the doors. Nothing is answered before the
 * platform is in the state that `prepare` brings it into.
 *
 * @throws {StoreUnusableError} Of `openDatabase`.
 * @throws {ListenError} The address is taken or not this machine's.
 * @throws What `prepare` throws.
 */
export async function startPlatformStub(options: StubOptions): Promise<RunningStub> {
  await using started = new AsyncDisposableStack()
  const opened = openPlatform(options)
  started.defer(() => opened.close())
  const parts = connectParts(opened, options.onFatal)
  // It is stored when it is made.
  started.defer(async () => {
    await parts.platformKey()
  })
  const doors = makeDoors(parts, options)
  started.defer(() => doors.cut())
  const addresses = await doors.listen()
  await options.prepare?.(parts, addresses.publicUrl)
  doors.open()
  parts.schedule.start()
  const running = started.move()
  return {
    ...addresses,
    log: opened.platform.log,
    async close() {
      await Promise.all([doors.close(), parts.stop()])
      await running.disposeAsync()
    },
  }
}
