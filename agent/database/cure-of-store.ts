import { cureOf } from '../durable-files/system-errors.ts'
import { cures } from '../language/cures.ts'
import { StoreFullError, StoreUnreachableError } from './store-errors.ts'

/** What a person can do about a store that cannot store anything now: on this host, or shared with other agents. */
export function cureOfStore(error: Error): string {
  return isOfSharedStore(error) ? cures.lookAtStore() : cureOf(error)
}

/** Whether it is the store that agents share, and nothing on this host. */
export function isOfSharedStore(error: unknown): error is StoreFullError | StoreUnreachableError {
  if (error instanceof StoreFullError) return error.store === 'SERVICE_STORE_URL'
  return error instanceof StoreUnreachableError
}
