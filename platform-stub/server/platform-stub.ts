import type { ControlParts } from '../developer/control/control-parts.ts'
import { postWebhook } from '../http/post-webhook.ts'
import { openDatabase } from '../store/open.ts'
import { composePlatform } from './compose-platform.ts'
import { makeDoors } from './doors.ts'
import type { Log } from './log.ts'
import type { Ground } from './open-platform.ts'
import { rsaSigning } from './rsa-signing.ts'

/** What a stub is started with. */
export interface StubOptions extends Omit<Ground, 'database' | 'signing'> {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  /** Where the control routes listen if they have a port of their own; 0 takes a free one, null the port above. */
  readonly developerPort: number | null
  /** Null keeps everything in memory. */
  readonly dataDirectory: string | null
  /** Name and version, for `/health`. */
  readonly service: string
  /** Brings the platform into a state before the first request is answered. An error that it throws ends the start. */
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
  const database = openDatabase(options.dataDirectory)
  started.defer(() => database.close())
  const parts = composePlatform({
    ...options,
    database,
    signing: rsaSigning,
    post: (webhook) => postWebhook(webhook, options.time.setTimer),
  })
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
    log: parts.platform.log,
    async close() {
      await Promise.all([doors.close(), parts.stop()])
      await running.disposeAsync()
    },
  }
}
