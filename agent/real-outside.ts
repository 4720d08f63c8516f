import { randomUUID } from 'node:crypto'
import { systemClock } from './clock/system-clock.ts'
import { hostFiles } from './durable-files/host-files.ts'
import { startHttpServer } from './http/http-server.ts'
import type { Outside } from './outside.ts'
import { takeOwnership } from './ownership/owner-lock.ts'
import { connectToPlatform } from './platform/undici-connection.ts'
import { rsaSigning } from './signing/rsa-signing.ts'
import { watchDir } from './spool/watch-dir.ts'
import { openSqliteStore } from './sqlite-store.ts'

/** This host: its clock, chance, files, sockets and keys. */
export const realOutside: Outside = {
  clock: systemClock,
  random: Math.random,
  newJti: randomUUID,
  pid: process.pid,
  files: hostFiles,
  watchDir,
  takeOwnership,
  openStore: openSqliteStore,
  connect: connectToPlatform,
  listen: startHttpServer,
  signing: rsaSigning,
}
