import type { DatabaseSync } from 'node:sqlite'
import type { DueRepair } from '../call/repair-journal.ts'
import type { JournalTime } from './journal-time.ts'

/** Makes the functions of the table of repairs, each one statement of SQL. It has one row for each item. */
export function repairTable(db: DatabaseSync, time: JournalTime) {
  const selectLifetime = db.prepare('SELECT attempt_lifetime_ms FROM journal')
  const updateLifetime = db.prepare('UPDATE journal SET attempt_lifetime_ms = ?')
  const selectRepairs = db.prepare('SELECT item_ref, quantity, due_at_ms FROM repair')
  const replaceRepair = db.prepare('INSERT OR REPLACE INTO repair (item_ref, quantity, due_at_ms) VALUES (?, ?, ?)')
  const deleteRepair = db.prepare('DELETE FROM repair WHERE item_ref = ?')
  return {
    readLifetime: () => Number(selectLifetime.get()?.['attempt_lifetime_ms']),
    writeLifetime: (ms: number) => void updateLifetime.run(ms),
    list: (): readonly DueRepair[] =>
      selectRepairs.all().map(({ item_ref, quantity, due_at_ms }) => ({
        itemRef: String(item_ref),
        quantity: Number(quantity),
        dueInMs: Number(due_at_ms) - time.nowMs(),
      })),
    replace: ({ itemRef, quantity, dueInMs }: DueRepair) =>
      void replaceRepair.run(itemRef, quantity, time.nowMs() + dueInMs),
    remove: (itemRef: string) => void deleteRepair.run(itemRef),
  }
}
