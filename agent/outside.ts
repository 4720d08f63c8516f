import type { Clock } from './clock/clock.ts'
import type { Files } from './durable-files/files.ts'
import type { Listen } from './http/listen.ts'
import type { TakeOwnership } from './ownership/ownership.ts'
import type { Connect } from './platform/connection.ts'
import type { Signing } from './signing/signing.ts'
import type { WatchDir } from './spool/outbox-events.ts'
import type { OpenStore } from './store.ts'

/** All that the agent reaches outside itself. The real one is in `real-outside.ts`. Tests and simulations give their own. */
export interface Outside {
  readonly clock: Clock
  /** Uniform in [0, 1). */
  readonly random: () => number
  /** A value that it has not returned before. */
  readonly newJti: () => string
  /** The number of this process, for people. */
  readonly pid: number
  /** The file system of the spool. */
  readonly files: Files
  readonly watchDir: WatchDir
  readonly takeOwnership: TakeOwnership
  readonly openStore: OpenStore
  /** Makes connections: to the platform, and to the game server that orders are pushed to. */
  readonly connect: Connect
  /** Takes ports: that of the calls, and that of the webhooks. */
  readonly listen: Listen
  readonly signing: Signing
}
