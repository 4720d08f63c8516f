import type { Listings } from '../call/listings.ts'
import type { Database } from './database.ts'
import { storable } from './storable.ts'

/** Notes which world registered an item, in the store. */
export function storeListings(database: Database, epoch: string): Listings {
  const note = async (itemRef: string, state: 'leaving' | 'accepted' | 'refused') => {
    const sql = 'SELECT market_agent.note_listing($1, $2, $3) AS is_first'
    const [row] = await database.query(sql, [epoch, storable(itemRef), state])
    return row?.['is_first'] === true
  }
  return {
    begin: (itemRef) => note(itemRef, 'leaving'),
    end: async (itemRef, result) => void (await note(itemRef, result)),
  }
}
