import type { DatabaseSync } from 'node:sqlite'
import { type RealTime, StubClock } from '../clock/clock.ts'
import type { Platform } from '../marketplace/platform.ts'
import type { Random } from '../marketplace/random.ts'
import { refuse } from '../marketplace/refusal.ts'
import type { Settings } from '../marketplace/settings.ts'
import type { Signing } from '../marketplace/signing.ts'
import { prepareTables } from '../store/tables.ts'
import { diskFull, makeTransact } from '../store/transact.ts'
import type { Log } from './log.ts'

/** The addresses of a stub, without a trailing slash; empty until it listens. */
export interface Addresses {
  /** Where the partner routes listen. */
  url: string
  /** Where players and game servers see it. */
  publicUrl: string
  /** Where control routes and console are. */
  developerUrl: string
}

/** What a platform is built on. Apart from its webhooks, nothing in it reaches outside in another way. */
export interface Ground {
  readonly database: DatabaseSync
  readonly settings: Settings
  readonly time: RealTime
  readonly random: Random
  readonly signing: Signing
  /** Makes the log, which says the stub's own time. */
  readonly makeLog: (nowMs: () => number) => Log
  /** Its address as others see it; null where that is the address it listens on. */
  readonly publicUrl: string | null
  /** Called when the platform can no longer be trusted: the process has to end. */
  readonly onFatal: (error: Error) => void
}

/** The platform on its store, before anything works on it. */
export interface OpenedPlatform {
  readonly platform: Platform
  readonly clock: StubClock
  /** Filled when the stub listens. */
  readonly addresses: Addresses
  /** Has `listener` called after each commit. @param isDue Whether something was written that comes due. */
  onCommitted(listener: (isDue: boolean) => void): void
}

/** Puts what every use case needs around the store. */
export function openPlatform({ database, settings, time, random, signing, ...ground }: Ground): OpenedPlatform {
  const addresses: Addresses = { url: '', publicUrl: ground.publicUrl ?? '', developerUrl: '' }
  const listeners: ((isDue: boolean) => void)[] = []
  let isDue = false
  let afterCommit: (() => void)[] = []
  const tables = prepareTables(database, () => {
    isDue = true
  })
  const transact = makeTransact(database, {
    onBroken: ground.onFatal,
    onCommitted() {
      const wasDue = isDue
      isDue = false
      for (const action of afterCommit) action()
      for (const listener of listeners) listener(wasDue)
    },
  })
  const clock = new StubClock(time, tables.platform.clockOffsetMs())
  const log = ground.makeLog(() => clock.nowMs())
  const platform: Platform = {
    tables,
    clock,
    random,
    signing,
    settings,
    log,
    transact(work) {
      afterCommit = []
      const result = transact(work)
      if (result !== diskFull) return result
      log.error('disk full')
      return refuse('STORE_FULL')
    },
    afterCommit(action) {
      afterCommit.push(action)
    },
    publicUrl: () => addresses.publicUrl,
  }
  return {
    platform,
    clock,
    addresses,
    onCommitted(listener) {
      listeners.push(listener)
    },
  }
}
