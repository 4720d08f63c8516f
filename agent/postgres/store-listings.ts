import type { Listings } from '../call/listings.ts'
import type { Database } from './database.ts'
import { storable } from './storable.ts'

/** Notes which world registered an item, in the store. */
export function storeListings(database: Database, epoch: string): Listings {
  const sql = 'SELECT market_agent.note_listing($1, $2, $3) AS is_first'
  return {
    async note(itemRef, state) {
      const [row] = await database.query(sql, [epoch, storable(itemRef), state])
      return row?.['is_first'] === true
    },
  }
}
