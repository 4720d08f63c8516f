/** How often each row of each table was used, by `table: row`. */
export type RowCounts = Map<string, number>

/** Adds counts to others. */
export function addCounts(counts: Map<string, number>, others: ReadonlyMap<string, number>): void {
  for (const [what, count] of others) counts.set(what, (counts.get(what) ?? 0) + count)
}

/**
 * Counts how often each entry of a table is looked up. The table is an object of objects that the program reads as it is,
 * such as the moves of an order: the program needs no hook for it. Each entry becomes a property that counts.
 *
 * @param depth How many keys name a row: 2 for `table[phase][trigger]`.
 */
export function countLookups(name: string, table: object, depth: number, counts: RowCounts): void {
  for (const [key, value] of Object.entries(table)) {
    const row = `${name}: ${key}`
    if (depth > 1) {
      countLookups(row, value as object, depth - 1, counts)
      continue
    }
    counts.set(row, counts.get(row) ?? 0)
    Object.defineProperty(table, key, {
      enumerable: true,
      configurable: true,
      get() {
        counts.set(row, (counts.get(row) ?? 0) + 1)
        return value
      },
    })
  }
}

/**
 * Counts the moves of things that have a state, where a table replaces one state by the next: `state → state`.
 *
 * @param table An object, or the prototype of a class, whose method stores a state.
 * @param moveOf The states before and after, from what the method was called on and with. Called before the method.
 */
export function countMoves<Name extends string, Table extends Record<Name, (...args: never[]) => unknown>>(
  name: string,
  table: Table,
  method: Name,
  moveOf: (self: Table, ...args: Parameters<Table[Name]>) => readonly [from: string, to: string],
  counts: RowCounts,
): void {
  const original = table[method]
  Object.defineProperty(table, method, {
    configurable: true,
    writable: true,
    value(this: Table, ...args: Parameters<Table[Name]>) {
      const move = `${name}: ${moveOf(this, ...args).join(' → ')}`
      counts.set(move, (counts.get(move) ?? 0) + 1)
      return original.apply(this, args)
    },
  })
}
