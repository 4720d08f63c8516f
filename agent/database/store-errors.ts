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
  /** The setting that names the store. */
  readonly store: 'SERVICE_STATE_DIR' | 'SERVICE_STORE_URL'

  constructor(code: string | undefined, cause: unknown, store: StoreFullError['store'] = 'SERVICE_STATE_DIR') {
    super(`nothing can be stored in ${store}`, { cause })
    this.code = code
    this.store = store
  }
}

/**
 * The store is on another host and cannot be asked now. A statement that was under way may have been done or not.
 */
export class StoreUnreachableError extends Error {
  override readonly name = 'StoreUnreachableError'
}

/** The store was not even asked, so nothing was done. */
export class StoreNotAskedError extends StoreUnreachableError {}

/** Whether the store is full or away: the same write may succeed later. */
export function isStoreFailure(error: unknown): error is StoreFullError | StoreUnreachableError {
  return error instanceof StoreFullError || error instanceof StoreUnreachableError
}

/** Handles the rejection of something that may be left out where the store is full or away. @throws Every other error. */
export function ignoreStoreFailure(error: unknown): void {
  if (!isStoreFailure(error)) throw error
}
