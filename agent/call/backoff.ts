/** Long enough that a platform that restarts is not asked at once by all of its clients. */
const retryDelayMsFirst = 200
/** Short enough that several retries fit into the default deadline of a call. */
const retryDelayMsMax = 5_000

/** The wait before retry n (0 = first), in ms. Full jitter: uniform below min(max, first · 2ⁿ). */
export function fullJitterDelayMs(n: number, random: () => number): number {
  return Math.floor(random() * Math.min(retryDelayMsMax, retryDelayMsFirst * 2 ** n))
}

/**
 * The wait that a `Retry-After` asks for, in ms; undefined without one, or if it cannot be read.
 *
 * @param platformNowMs The platform's time, from which a date is counted.
 * @see RFC 9110 section 10.2.3
 */
export function retryAfterMs(header: string | undefined, platformNowMs: number): number | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000
  const dateMs = Date.parse(header)
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - platformNowMs)
}
