import type { Listings } from '../call/listings.ts'
import type { Database } from './database.ts'
import type { OwedWrites } from './owed-writes.ts'
import { storable } from './storable.ts'

/** Notes which world registered an item, in the store. */
export function storeListings(
  database: Database,
  epoch: string,
  owed: Pick<OwedWrites, 'assertPaid' | 'write'>,
): Listings {
  const note = async (itemRef: string, state: 'leaving' | 'accepted' | 'accepted-before' | 'refused') => {
    const sql = 'SELECT market_agent.note_listing($1, $2, $3) AS is_first'
    const [row] = await database.query(sql, [epoch, storable(itemRef), state])
    return row?.['is_first'] === true
  }
  return {
    async begin(itemRef) {
      // An end that is owed may take back what is noted now.
      owed.assertPaid(nameOf(itemRef))
      return note(itemRef, 'leaving')
    },
    end: (itemRef, result) =>
      owed.write(
        nameOf(itemRef),
        () => note(itemRef, result),
        () => note(itemRef, result === 'accepted' ? 'accepted-before' : result),
      ),
  }
}

function nameOf(itemRef: string): string {
  return `listing ${itemRef}`
}
