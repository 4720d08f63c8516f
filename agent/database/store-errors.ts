/** A database cannot be used: it is damaged, of a newer version, or another program's. It is left as it is. */
export class StoreUnusableError extends Error {
  override readonly name = 'StoreUnusableError'
}

/** SQLite reports damage. It reports the same for a failing disk, until the file is read to its end. */
export class StoreDamagedError extends StoreUnusableError {}

/** Nothing can be stored now, usually because the disk is full. Nothing is damaged, and the next write may succeed. */
export class StoreFullError extends Error {
  override readonly name = 'StoreFullError'
  /** The code of the system's error. */
  readonly code: string | undefined

  constructor(code: string | undefined, cause: unknown) {
    super('nothing can be stored in SERVICE_STATE_DIR', { cause })
    this.code = code
  }
}
