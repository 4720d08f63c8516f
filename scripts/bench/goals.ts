import { figure, markdownTable, range } from './markdown-table.ts'
import { spreadOf } from './statistics.ts'

/** What a figure should come to. */
export interface Goal {
  readonly title: string
  readonly bound: 'at least' | 'at most'
  readonly wanted: number
}

/**
 * Goals beside what was reached.
 *
 * @param roundsOf One value of the goal for each round: none where this run did not measure it, null where it cannot be
 * measured on this machine.
 */
export function goalsTable<Kind extends Goal>(
  goals: readonly Kind[],
  roundsOf: (goal: Kind) => readonly (number | null)[],
): string {
  return markdownTable(
    [
      ['goal', 'left'],
      ['wanted', 'right'],
      ['median', 'right'],
      ['min–max', 'right'],
      ['reached', 'left'],
    ],
    goals.map((goal) => [goal.title, `${goal.bound} ${goal.wanted}`, ...standing(goal, roundsOf(goal))]),
  )
}

function standing({ bound, wanted }: Goal, values: readonly (number | null)[]): [string, string, string] {
  const measured = values.filter((value) => value !== null)
  if (measured.length === 0) return ['', '', values.length === 0 ? 'not in this run' : 'not measured here']
  const spread = spreadOf(measured)
  const reached = bound === 'at least' ? spread.median >= wanted : spread.median <= wanted
  return [figure(spread.median, 2), range(spread, 2), reached ? 'yes' : 'no']
}
