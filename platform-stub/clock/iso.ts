const written = new Map<number, string>()
const writtenMax = 1_000

/**
 * ISO-8601 in UTC of a Unix time in ms. The same moments are asked for again and again, and writing one out costs more
 * than finding it.
 *
 * @see interface section 1
 */
export function iso(unixMs: number): string {
  const known = written.get(unixMs)
  if (known !== undefined) return known
  if (written.size === writtenMax) written.clear()
  const text = new Date(unixMs).toISOString()
  written.set(unixMs, text)
  return text
}

/** The same of a time that may not have come yet. */
export function isoOrNull(unixMs: number | null): string | null {
  return unixMs === null ? null : iso(unixMs)
}

let httpDateSecond = -1
let httpDateText = ''

/** Value of a `Date` header, kept for the second in which it holds. */
export function httpDate(unixMs: number): string {
  const second = Math.floor(unixMs / 1_000)
  if (second !== httpDateSecond) {
    httpDateSecond = second
    httpDateText = new Date(second * 1_000).toUTCString()
  }
  return httpDateText
}

/** Beyond these years a date has no four-digit form and is a slip of the hand. */
const momentMsMax = Date.UTC(9999, 0)

/** Unix ms of an ISO-8601 moment in UTC; undefined for any other text. */
export function momentMsOf(text: string): number | undefined {
  const isUtc = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z$/.test(text)
  const momentMs = Date.parse(text)
  if (!isUtc || !isMoment(momentMs)) return undefined
  // A day that its month has not would be taken for one of the next.
  const isWritten = new Date(momentMs).toISOString().startsWith(text.slice(0, 'YYYY-MM-DDTHH:MM'.length))
  return isWritten ? momentMs : undefined
}

/** Whether a Unix time in ms is one that the stub can be sent to. */
export function isMoment(unixMs: number): boolean {
  return unixMs >= 0 && unixMs < momentMsMax
}
