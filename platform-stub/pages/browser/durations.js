// @ts-check
// Shared with the server, so that the script writes a time as the server did.

/**
 * The remaining time, as a clock shows it: `29:58`, `1:04:09`, `2 d 3:00:00`; never below `0:00`.
 *
 * @param {number} ms
 * @returns {string}
 */
export function countdown(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1_000))
  const days = Math.floor(seconds / 86_400)
  const hours = Math.floor((seconds % 86_400) / 3_600)
  const minutes = Math.floor((seconds % 3_600) / 60)
  const two = (/** @type {number} */ part) => String(part).padStart(2, '0')
  const clock = days + hours > 0 ? `${hours}:${two(minutes)}` : `${minutes}`
  return `${days > 0 ? `${days} d ` : ''}${clock}:${two(seconds % 60)}`
}

/** @type {readonly (readonly [string, number])[]} */
const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
]

/**
 * A length of time in its two largest units, in words for developers: `12 s`, `1 min 30 s`, `2 d 4 h`.
 *
 * @param {number} ms
 * @returns {string}
 */
export function duration(ms) {
  let rest = Math.max(0, Math.floor(ms / 1_000)) * 1_000
  const parts = []
  for (const [unit, unitMs] of units) {
    const count = Math.floor(rest / unitMs)
    rest -= count * unitMs
    if (count > 0) parts.push(`${count} ${unit}`)
    else if (parts.length > 0) break
  }
  return parts.slice(0, 2).join(' ') || '0 s'
}

/** @typedef {'en' | 'pt-BR'} Lang */

/** @type {Record<Lang, { readonly now: string, readonly after: (length: string) => string, readonly before: (length: string) => string }>} */
const distances = {
  en: { now: 'now', after: (length) => `in ${length}`, before: (length) => `${length} ago` },
  'pt-BR': { now: 'agora', after: (length) => `em ${length}`, before: (length) => `há ${length}` },
}

/**
 * The distance of a moment from now: `in 12 s`, `3 min ago`, `now`.
 *
 * @param {number} atMs
 * @param {number} nowMs
 * @param {Lang} lang
 * @returns {string}
 */
export function relative(atMs, nowMs, lang) {
  const { now, after, before } = distances[lang]
  const distanceMs = atMs - nowMs
  if (Math.abs(distanceMs) < 1_000) return now
  return distanceMs > 0 ? after(duration(distanceMs)) : before(duration(-distanceMs))
}

/** @type {Map<Lang, Intl.DateTimeFormat>} */
const utc = new Map()

/**
 * A moment in UTC for people: `21 Nov, 15:13:42`.
 *
 * @param {number} atMs
 * @param {Lang} lang
 * @returns {string}
 */
export function stamp(atMs, lang) {
  const format =
    utc.get(lang) ??
    new Intl.DateTimeFormat(lang === 'en' ? 'en-GB' : lang, {
      day: '2-digit',
      month: 'short',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      timeZone: 'UTC',
    })
  utc.set(lang, format)
  return format.format(atMs)
}
