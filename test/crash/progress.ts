/** How far a series is: one line that is rewritten on a terminal, otherwise a line for every 25 points. */
export interface Progress {
  /** One more point was run. */
  next(violations: number): void
  /** Prints a line of its own. */
  print(line: string): void
}

const pointsPerLine = 25

/** @param total How many points there are; undefined where the series ends by itself. */
export function startProgress(title: string, total: number | undefined): Progress {
  const { stdout } = process
  let points = 0
  let violations = 0
  const line = () => `${title}: ${points}${total === undefined ? '' : ` of ${total}`} points, ${violations} violations`
  const rewrite = (text: string) => stdout.write(`\r\u001b[K${text.slice(0, stdout.columns - 1)}`)
  return {
    next(found) {
      points++
      violations += found
      if (stdout.isTTY) rewrite(line())
      else if (points % pointsPerLine === 0) console.log(line())
    },
    print(text) {
      if (stdout.isTTY) rewrite('')
      console.log(text)
    },
  }
}
