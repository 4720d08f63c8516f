/** ISO-8601 in UTC of a Unix time in ms. @see interface section 1 */
export function iso(unixMs: number): string {
  return new Date(unixMs).toISOString()
}

/** The same of a time that may not have come yet. */
export function isoOrNull(unixMs: number | null): string | null {
  return unixMs === null ? null : iso(unixMs)
}

/** The names of a row's times. */
type TimeName = 'at' | `${string}At`

/** A row whose times, Unix ms, are ISO-8601 in UTC. */
export type WithIsoTimes<Row> = {
  readonly [Name in keyof Row]: Name extends TimeName ? string | Extract<Row[Name], null> : Row[Name]
}

/** Writes the times of a row, which are named `at` or `…At`, as ISO-8601 in UTC. */
export function withIsoTimes<Row extends object>(row: Row): WithIsoTimes<Row> {
  const isTime = (name: string): boolean => name === 'at' || name.endsWith('At')
  const fields = Object.entries(row).map(([name, value]) => [name, isTime(name) ? isoOrNull(value) : value])
  return Object.fromEntries(fields) as WithIsoTimes<Row>
}

/** Value of a `Date` header. */
export function httpDate(unixMs: number): string {
  return new Date(unixMs).toUTCString()
}

/** Beyond these years a date has no four-digit form and is a slip of the hand. */
const momentMsMax = Date.UTC(9999, 0)

/** Unix ms of an ISO-8601 moment in UTC; undefined for any other text. */
export function momentMsOf(text: string): number | undefined {
  const isUtc = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z$/.test(text)
  const momentMs = Date.parse(text)
  if (!isUtc || !isMoment(momentMs)) return undefined
  // A day that its month does not have would be taken for one of the next.
  const isWritten = new Date(momentMs).toISOString().startsWith(text.slice(0, 'YYYY-MM-DDTHH:MM'.length))
  return isWritten ? momentMs : undefined
}

/** Whether a Unix time in ms is one that the stub can be sent to. */
export function isMoment(unixMs: number): boolean {
  return unixMs >= 0 && unixMs < momentMsMax
}
