/** What is compared takes turns this often, because the machine's speed moves within a second. */
const sliceS = 0.4

/** How many slices a cell's seconds are cut into. */
export function slicesIn(secondsPerCell: number): number {
  return Math.max(1, Math.round(secondsPerCell / sliceS))
}

/** Another one begins at each turn, so that none always follows the same other. */
export function startingAt<Item>(turn: number, items: readonly Item[]): Item[] {
  const first = turn % items.length
  return [...items.slice(first), ...items.slice(0, first)]
}
