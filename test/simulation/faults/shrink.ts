/**
 * Delta debugging (Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input", 2002): leaves out what is
 * not needed for a failure, in halves, quarters and so on, until no single part can be left out.
 *
 * @param fails Whether a list still fails. It fails with all parts.
 */
export async function shrink<Part>(
  parts: readonly Part[],
  fails: (parts: readonly Part[]) => Promise<boolean>,
): Promise<readonly Part[]> {
  if (parts.length > 0 && (await fails([]))) return []
  let left = parts
  for (let pieces = 2; left.length > 1; ) {
    const smaller = await firstThatFails(withoutEach(left, pieces), fails)
    if (smaller) {
      left = smaller
      pieces = Math.max(2, pieces - 1)
    } else if (pieces >= left.length) break
    else pieces = Math.min(left.length, pieces * 2)
  }
  return left
}

/** The list without its first piece, without its second, and so on. */
function withoutEach<Part>(list: readonly Part[], pieces: number): readonly (readonly Part[])[] {
  const borders = Array.from({ length: pieces + 1 }, (_, n) => Math.round((n * list.length) / pieces))
  return borders.slice(1).map((end, n) => [...list.slice(0, borders[n]), ...list.slice(end)])
}

async function firstThatFails<Part>(
  lists: readonly (readonly Part[])[],
  fails: (parts: readonly Part[]) => Promise<boolean>,
): Promise<readonly Part[] | undefined> {
  for (const list of lists) if (await fails(list)) return list
  return undefined
}
