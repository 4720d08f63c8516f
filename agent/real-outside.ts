import { randomUUID } from 'node:crypto'
import { KeyQueues } from './call/key-queues.ts'
import { oneGameServer } from './call/listings.ts'
import { systemClock } from './clock/system-clock.ts'
import { hostFiles } from './durable-files/host-files.ts'
import { startHttpServer } from './http/http-server.ts'
import { openSqliteJournal } from './journal/sqlite-journal.ts'
import { countOpenOrders, openSqliteOrderLedger } from './orders/sqlite-order-ledger.ts'
import type { Outside } from './outside.ts'
import { takeOwnership } from './ownership/owner-lock.ts'
import { connectToPlatform } from './platform/undici-connection.ts'
import { rsaSigning } from './signing/rsa-signing.ts'
import { watchDir } from './spool/watch-dir.ts'

/** This host: its clock, chance, files, sockets and keys. */
export const realOutside: Outside = {
  clock: systemClock,
  random: Math.random,
  newJti: randomUUID,
  pid: process.pid,
  files: hostFiles,
  watchDir,
  takeOwnership,
  openJournal: async (options) => openSqliteJournal(options),
  openTurns: (clock) => new KeyQueues(clock),
  openListings: () => oneGameServer,
  openLedger: async (options) => openSqliteOrderLedger(options),
  countOpenOrders: async (stateDir) => countOpenOrders(stateDir),
  connect: connectToPlatform,
  listen: startHttpServer,
  signing: rsaSigning,
}
