import { DatabaseSync } from 'node:sqlite'
import type { Random } from '../random.ts'

/** Small pages, because each image is a copy of all. */
const pageBytes = 512

/**
 * A database of SQLite in memory, as it is on the disk of a host: every process finds what another one committed before
 * it was killed, and a power cut takes back what was committed after the last sync began.
 */
export class ModelDatabase {
  #db: DatabaseSync
  #synced: Uint8Array
  #syncedDb: DatabaseSync | undefined
  /** Of what is committed, until something else is. */
  #image: Uint8Array | undefined
  #lastSync = 0
  #syncs = 0
  #commits = 0
  #syncedCommits = 0

  /** @param sql Makes the tables, and fills them. */
  constructor(sql: string) {
    this.#db = new DatabaseSync(':memory:')
    this.#db.exec(`PRAGMA page_size = ${pageBytes}; ${sql}`)
    this.#synced = this.#db.serialize()
  }

  /** What processes work with. */
  get db(): DatabaseSync {
    return this.#db
  }

  /** What a power cut leaves for certain. Only for reading. */
  get syncedDb(): DatabaseSync {
    this.#syncedDb ??= openImage(this.#synced)
    return this.#syncedDb
  }

  /** How often something was committed. */
  get commits(): number {
    return this.#commits
  }

  /** How many commits no power cut can take back any more. Those that one has taken back count too. */
  get syncedCommits(): number {
    return this.#syncedCommits
  }

  /** Something was committed. */
  noteCommit(): void {
    this.#commits++
    this.#image = undefined
  }

  /** Begins a sync, which covers nothing that is committed later. The returned function ends it. */
  beginSync(): () => void {
    const image = this.#imageNow()
    const number = ++this.#syncs
    const commits = this.#commits
    return () => {
      if (number < this.#lastSync) return
      this.#lastSync = number
      this.#syncedCommits = commits
      this.#keep(image)
    }
  }

  /** @param random Says whether what was not synced is lost. */
  cutPower(random: Pick<Random, 'integer'>): void {
    const isLost = random.integer(0, 1) === 0
    this.#keep(isLost ? this.#synced : this.#imageNow())
    this.#db.close()
    this.#db = openImage(this.#synced)
    this.#syncedCommits = this.#commits
    this.#image = this.#synced
  }

  close(): void {
    this.#db.close()
    this.#syncedDb?.close()
  }

  #imageNow(): Uint8Array {
    this.#image ??= this.#db.serialize()
    return this.#image
  }

  #keep(image: Uint8Array): void {
    if (image === this.#synced) return
    this.#synced = image
    this.#syncedDb?.close()
    this.#syncedDb = undefined
  }
}

function openImage(image: Uint8Array): DatabaseSync {
  const db = new DatabaseSync(':memory:')
  db.deserialize(image)
  return db
}
