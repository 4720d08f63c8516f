import type { DatabaseSync } from 'node:sqlite'
import { StubClock } from '../clock/clock.ts'
import type { Platform } from '../marketplace/platform.ts'
import { refuse } from '../marketplace/refusal.ts'
import { openDatabase } from '../store/open.ts'
import { prepareTables } from '../store/tables.ts'
import { diskFull, makeTransact } from '../store/transact.ts'
import type { StubOptions } from './platform-stub.ts'

/** The addresses of a stub, without a trailing slash; empty until it listens. */
export interface Addresses {
  /** Where the partner routes listen. */
  url: string
  /** Where players and game servers see it. */
  publicUrl: string
  /** Where control routes and console are. */
  developerUrl: string
}

/** The platform on its store, before anything works on it. */
export interface OpenedPlatform {
  readonly platform: Platform
  readonly clock: StubClock
  readonly database: DatabaseSync
  /** Filled when the stub listens. */
  readonly addresses: Addresses
  /** Has `listener` called after each commit. @param isDue Whether something was written that comes due. */
  onCommitted(listener: (isDue: boolean) => void): void
  close(): void
}

/**
 * Opens the store, and puts what every use case needs around it.
 *
 * @throws {StoreUnusableError} Of `openDatabase`.
 */
export function openPlatform(options: StubOptions): OpenedPlatform {
  const { settings, random, time, onFatal } = options
  const database = openDatabase(options.dataDirectory)
  const addresses: Addresses = { url: '', publicUrl: options.publicUrl ?? '', developerUrl: '' }
  const listeners: ((isDue: boolean) => void)[] = []
  let isDue = false
  let afterCommit: (() => void)[] = []
  const tables = prepareTables(database, () => {
    isDue = true
  })
  const transact = makeTransact(database, {
    onBroken: onFatal,
    onCommitted() {
      const wasDue = isDue
      isDue = false
      for (const action of afterCommit) action()
      for (const listener of listeners) listener(wasDue)
    },
  })
  const clock = new StubClock(time, tables.platform.clockOffsetMs())
  const log = options.makeLog(() => clock.nowMs())
  const platform: Platform = {
    tables,
    clock,
    random,
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
    database,
    addresses,
    onCommitted(listener) {
      listeners.push(listener)
    },
    close: () => database.close(),
  }
}
