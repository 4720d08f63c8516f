import type { Spread } from './statistics.ts'

type Alignment = 'left' | 'right'

/** A Markdown table whose columns also line up in a terminal. */
export function markdownTable(
  columns: readonly (readonly [title: string, alignment: Alignment])[],
  rows: readonly (readonly string[])[],
): string {
  const widths = columns.map(([title], column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const padded = (cells: readonly string[]): string =>
    line(
      columns.map(([, alignment], column) => {
        const cell = cells[column] ?? ''
        const width = widths[column] ?? 0
        return alignment === 'right' ? cell.padStart(width) : cell.padEnd(width)
      }),
    )
  const rule = columns.map(([, alignment], column) => {
    const dashes = '-'.repeat((widths[column] ?? 0) - 1)
    return alignment === 'right' ? `${dashes}:` : `-${dashes}`
  })
  return [padded(columns.map(([title]) => title)), line(rule), ...rows.map(padded)].join('\n')
}

/** A figure with `digits` after the point, thousands apart. */
export function figure(value: number, digits = 0): string {
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

/** Least to greatest. */
export function range({ min, max }: Spread, digits = 0): string {
  return `${figure(min, digits)}–${figure(max, digits)}`
}
