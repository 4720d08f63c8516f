import type { Cell, Figures } from './figures.ts'

/** What is compared, and how. */
export interface Comparison<Contender, Load, Sample> {
  readonly contenders: readonly Contender[]
  readonly loads: readonly Load[]
  readonly rounds: number
  /** Samples of each contender under each load in each round. */
  readonly turns: number
  /** Takes one sample of each cell first and drops it, so that V8 has compiled what runs often. */
  readonly warmUp?: boolean
  /** Takes one sample. */
  readonly measure: (contender: Contender, load: Load) => Promise<Sample>
  /** Puts the samples of one cell together. */
  readonly merge: (samples: readonly Sample[]) => Figures
  readonly progress: (what: string) => void
}

/**
 * Measures all contenders under all loads. They take short turns, because the speed of a machine changes within a
 * second: what is compared is measured at nearly the same time.
 */
export async function compare<Contender extends { name: string }, Load extends { name: string }, Sample>(
  comparison: Comparison<Contender, Load, Sample>,
): Promise<Cell[]> {
  const { contenders, loads, rounds, turns, warmUp = false, measure, merge, progress } = comparison
  const cells: Cell[] = []
  if (warmUp) {
    progress('warming up')
    for (const load of loads) await takeTurns(load, 0, 1)
  }
  for (let round = 0; round < rounds; round++) {
    for (const load of loads) {
      progress(`round ${round + 1} of ${rounds} ${load.name}`)
      for (const [{ name }, samples] of await takeTurns(load, round, turns)) {
        cells.push({ round, load: load.name, contender: name, figures: merge(samples) })
      }
    }
  }
  return cells

  async function takeTurns(load: Load, first: number, count: number): Promise<Map<Contender, Sample[]>> {
    const samples = new Map(contenders.map((contender): [Contender, Sample[]] => [contender, []]))
    for (let turn = 0; turn < count; turn++) {
      for (const contender of startingAt(first + turn, contenders)) {
        samples.get(contender)?.push(await measure(contender, load))
      }
    }
    return samples
  }
}

/** Another one begins at each turn, so that none always follows the same other. */
function startingAt<Item>(turn: number, items: readonly Item[]): Item[] {
  const first = turn % items.length
  return [...items.slice(first), ...items.slice(0, first)]
}
