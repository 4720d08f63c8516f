import type { DatabaseSync } from 'node:sqlite'
import { statementsOf } from './statements.ts'

/** The platform's own signing key, as PEM. */
export interface PlatformKeyRow {
  readonly kid: string
  readonly privateKeyPem: string
  readonly publicKeyPem: string
}

/** What the platform knows about itself: its key and how far its clock has travelled. */
export function platformTable(database: DatabaseSync) {
  const { get, run, count } = statementsOf(database)
  const key = get<PlatformKeyRow, []>('select kid, privateKeyPem, publicKeyPem from platform where kid is not null')
  return {
    clockOffsetMs: count('select clockOffsetMs from platform'),
    /** Undefined until the first start made one. */
    key: () => key(),
    setClockOffsetMs: run<[offsetMs: number]>('update platform set clockOffsetMs = cast(round(?) as integer)'),
    setKey: run<[key: PlatformKeyRow]>(
      'update platform set kid = :kid, privateKeyPem = :privateKeyPem, publicKeyPem = :publicKeyPem',
    ),
  }
}
