import type { DatabaseSync } from 'node:sqlite'

/** The platform's own signing key, as PEM. */
export interface PlatformKeyRow {
  readonly kid: string
  readonly privateKeyPem: string
  readonly publicKeyPem: string
}

/** What the platform knows of itself: its key and how far its clock has travelled. */
export function platformTable(database: DatabaseSync) {
  const read = database.prepare('select clockOffsetMs, kid, privateKeyPem, publicKeyPem from platform')
  const setOffset = database.prepare('update platform set clockOffsetMs = ?')
  const setKey = database.prepare('update platform set kid = ?, privateKeyPem = ?, publicKeyPem = ?')
  return {
    clockOffsetMs: (): number => Number(read.get()?.['clockOffsetMs']),
    /** Undefined until the first start made one. */
    key(): PlatformKeyRow | undefined {
      const row = read.get()
      return row?.['kid'] ? (row as unknown as PlatformKeyRow) : undefined
    },
    setClockOffsetMs: (offsetMs: number): void => void setOffset.run(Math.round(offsetMs)),
    setKey: (key: PlatformKeyRow): void => void setKey.run(key.kid, key.privateKeyPem, key.publicKeyPem),
  }
}
