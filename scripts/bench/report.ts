import { type Cell, type FigureName, figures, spreadOf } from './figures.ts'
import type { Goal } from './goals.ts'

/** From here on the load generator may be what was measured. */
const clientCoresSuspicious = 0.8

/** A table of the figures, medians of the rounds, and a table of the goals. */
export function report(cells: readonly Cell[], goals: readonly Goal[]): string {
  const clientCores = Math.max(0, ...cells.map((cell) => cell.figures.clientCores || 0))
  const warning = `**The load generator used up to ${shown(clientCores, 2)} cores: it may have been the limit.**`
  return [
    figuresTable(cells),
    ...(clientCores < clientCoresSuspicious ? [] : [warning]),
    '### Goals',
    goalsTable(cells, goals),
  ].join('\n\n')
}

function figuresTable(cells: readonly Cell[]): string {
  const names = (Object.keys(figures) as FigureName[]).filter((name) => cells.some((cell) => name in cell.figures))
  const titles: string[] = names.map((name) => figures[name].title)
  const rows = Map.groupBy(cells, ({ load, contender }) => `${load}\n${contender}`)
  const lines = [...rows].map(([row, own]) => {
    const shownOf = names.map((name) => {
      const spread = spreadOf(own.map((cell) => cell.figures[name] ?? Number.NaN))
      const { digits } = figures[name]
      return { median: shown(spread.median, digits), range: range(spread, digits) }
    })
    return [...row.split('\n'), ...shownOf.map(({ median }) => median).toSpliced(1, 0, shownOf[0]?.range ?? '')]
  })
  return markdownTable(['', '', ...titles.toSpliced(1, 0, 'min–max')], lines)
}

function goalsTable(cells: readonly Cell[], goals: readonly Goal[]): string {
  const rounds = [...Map.groupBy(cells, ({ round }) => round).values()]
  const lines = goals.map(({ title, bound, wanted, value }) => {
    const values = rounds.map((own) =>
      value((name, contender, load) => {
        const cell = own.find((one) => one.contender === contender && one.load === load)
        return cell?.figures[name] ?? Number.NaN
      }),
    )
    // Some figures are measured only in the first round.
    const spread = spreadOf(values.filter((one) => !Number.isNaN(one)))
    const reached = bound === 'at least' ? spread.median >= wanted : spread.median <= wanted
    const verdict = Number.isNaN(spread.median) ? 'not in this run' : reached ? 'yes' : 'no'
    return [title, `${bound} ${wanted}`, shown(spread.median, 2), range(spread, 2), verdict]
  })
  return markdownTable(['goal', 'wanted', 'median', 'min–max', 'reached'], lines)
}

/** Its columns line up in a terminal too: texts to the left, figures to the right. */
function markdownTable(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = heading.map((title, n) => Math.max(title.length, 3, ...rows.map((row) => row[n]?.length ?? 0)))
  const isFigure = heading.map((_, n) => rows.every((row) => /^(?:at |[-\d]|$)/.test(row[n] ?? '')))
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, n) => (isFigure[n] ? cell.padStart(widths[n] ?? 0) : cell.padEnd(widths[n] ?? 0))).join(' | ')} |`
  const rule = widths.map((width, n) => (isFigure[n] ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width)))
  return [line(heading), line(rule), ...rows.map(line)].join('\n')
}

/** A value that was not measured is empty. */
function shown(value: number, digits: number): string {
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits }
  return Number.isNaN(value) ? '' : value.toLocaleString('en', options)
}

function range({ min, max }: { min: number; max: number }, digits: number): string {
  return Number.isNaN(min) ? '' : `${shown(min, digits)}–${shown(max, digits)}`
}
