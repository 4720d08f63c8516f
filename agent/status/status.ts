import type { IdempotencyJournal } from '../call/idempotency-journal.ts'
import type { Clock } from '../clock/clock.ts'
import type { AgentConfig } from '../config/config.ts'
import { isStoreFailure } from '../database/store-errors.ts'
import type { Order } from '../orders/order.ts'
import type { Contact } from '../platform/contact.ts'
import type { PlatformClock } from '../platform/platform-clock.ts'
import { fingerprintOf } from '../signing/signing-key.ts'
import type { SpoolStatus } from '../spool/spool.ts'
import type { SharedStoreStatus, Store } from '../store.ts'
import type { Counters } from './counters.ts'

/** What GET /status answers. Times are ISO-8601, UTC. */
export interface Status {
  /** Name and version. */
  readonly agent: string
  /** Whether there is no reason against it. */
  readonly ready: boolean
  /** Why calls may fail, each with its cure. */
  readonly reasons: readonly string[]
  readonly startedAt: string
  readonly uptimeS: number
  readonly platform: {
    readonly host: string
    /** The last answer in the interface's form to a signed call. */
    readonly lastContactAt: string | null
    /** The platform's clock minus this host's; null before the first answer. */
    readonly clockOffsetMs: number | null
  }
  readonly keys: { readonly signing: KeyStatus; readonly platform: readonly KeyStatus[] }
  readonly calls: {
    /** Calls without an answer. */
    readonly inFlight: number
    /** Calls that wait for an earlier call of the same item or transaction. */
    readonly waiting: number
    readonly ok: number
    readonly refused: number
    readonly uncertain: number
  }
  /** `entries` is null while the store cannot be asked. */
  readonly journal: { readonly entries: number | null; readonly writable: boolean }
  /** Null where the agent shares no store with others. */
  readonly store: SharedStoreStatus | null
  /** Null without a spool. */
  readonly spool: SpoolStatus | null
  /** Null without the webhook bridge, and while the store cannot be asked. `waiting`: offered and not taken. */
  readonly orders: { readonly open: number; readonly oldestAgeS: number | null; readonly waiting: number } | null
}

interface KeyStatus {
  readonly kid: string
  readonly fingerprint: string
}

/** Where the status is read from. */
export interface StatusSources {
  readonly agent: string
  readonly clock: Clock
  /** Monotonic. */
  readonly startedMs: number
  /** The configuration in use. */
  readonly config: () => AgentConfig
  readonly contact: Contact
  readonly platformClock: PlatformClock
  readonly counters: Counters
  readonly inFlight: () => number
  readonly waiting: () => number
  readonly journal: Pick<IdempotencyJournal, 'count'>
  readonly isJournalWritable: () => boolean
  readonly reasons: () => readonly string[]
  readonly store: Pick<Store, 'readStatus'>
  /** Undefined without a spool. */
  readonly spool: () => Promise<SpoolStatus> | undefined
  /** Oldest first; undefined without the webhook bridge. */
  readonly findOpenOrders: () => Promise<readonly Order[]> | undefined
}

/** Reads the present state of the agent. */
export async function readStatus(sources: StatusSources): Promise<Status> {
  const { clock, contact, platformClock } = sources
  const { baseUrl, signingKey, platformKeys } = sources.config()
  const uptimeMs = clock.monotonicMs() - sources.startedMs
  const [entries, store, spool, open] = await Promise.all([
    unlessAway(sources.journal.count()),
    sources.store.readStatus(),
    sources.spool(),
    unlessAway(sources.findOpenOrders()),
  ])
  const reasons = sources.reasons()
  return {
    agent: sources.agent,
    ready: reasons.length === 0,
    reasons,
    startedAt: new Date(clock.wallMs() - uptimeMs).toISOString(),
    uptimeS: Math.floor(uptimeMs / 1000),
    platform: {
      host: new URL(baseUrl).host,
      lastContactAt: contact.lastContactAtMs === undefined ? null : new Date(contact.lastContactAtMs).toISOString(),
      clockOffsetMs: platformClock.offsetMs ?? null,
    },
    keys: {
      signing: { kid: signingKey.kid, fingerprint: signingKey.fingerprint },
      platform: [...platformKeys].map(([kid, key]) => ({ kid, fingerprint: fingerprintOf(key) })),
    },
    calls: { inFlight: sources.inFlight(), waiting: sources.waiting(), ...sources.counters.ended },
    journal: { entries: entries ?? null, writable: sources.isJournalWritable() },
    store,
    spool: spool ?? null,
    orders: open ? describeOrders(open, clock.wallMs()) : null,
  }
}

async function unlessAway<Value>(asked: Promise<Value> | undefined): Promise<Value | undefined> {
  try {
    return await asked
  } catch (error) {
    if (isStoreFailure(error)) return undefined
    throw error
  }
}

function describeOrders(open: readonly Order[], nowMs: number): NonNullable<Status['orders']> {
  const [oldest] = open
  return {
    open: open.length,
    oldestAgeS: oldest ? Math.max(0, Math.round((nowMs - oldest.receivedAtMs) / 1000)) : null,
    waiting: open.filter(({ phase }) => phase === 'offered').length,
  }
}
