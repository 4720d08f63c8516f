// @ts-check
// Shared with the server, so that the script writes a time as the server did.

/** @typedef {'en' | 'pt-BR'} Lang */

/** @type {readonly (readonly [Intl.RelativeTimeFormatUnit & string, number])[]} */
const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
]

/** Whole seconds as days, hours, minutes and seconds. @param {number} ms */
function partsOf(ms) {
  let rest = Math.max(0, ms)
  return units.map(([unit, unitMs]) => {
    const count = Math.floor(rest / unitMs)
    rest -= count * unitMs
    return /** @type {const} */ ([`${unit}s`, count])
  })
}

/**
 * The remaining time, as a clock shows it: `29:58`, `1:04:09`; never below `00:00`.
 *
 * @param {number} ms
 * @returns {string}
 */
export function countdown(ms) {
  const parts = Object.fromEntries(partsOf(Math.ceil(ms / 1_000) * 1_000))
  return new Intl.DurationFormat('pt-BR', { style: 'digital', hoursDisplay: 'auto' }).format(parts)
}

/**
 * A length of time in its two largest units: `12s`, `1m 30s`, `2d 4h`.
 *
 * @param {number} ms
 * @param {Lang} lang
 * @returns {string}
 */
export function duration(ms, lang) {
  const parts = partsOf(ms)
  const first = parts.findIndex(([, count]) => count > 0)
  const largest = first < 0 ? [['seconds', 0]] : parts.slice(first, first + 2).filter(([, count]) => count > 0)
  const secondsDisplay = first < 0 ? 'always' : 'auto'
  return new Intl.DurationFormat(lang, { style: 'narrow', secondsDisplay }).format(Object.fromEntries(largest))
}

/**
 * The distance of a moment from now in its largest unit: `in 12s`, `3m ago`, `now`.
 *
 * @param {number} atMs
 * @param {number} nowMs
 * @param {Lang} lang
 * @returns {string}
 */
export function relative(atMs, nowMs, lang) {
  const distanceMs = atMs - nowMs
  const [unit, unitMs] = units.find(([, size]) => Math.abs(distanceMs) >= size) ?? ['second', 1_000]
  // `auto` says "now"; of a day it would say "tomorrow", which depends on the zone.
  const numeric = unit === 'second' ? 'auto' : 'always'
  return new Intl.RelativeTimeFormat(lang, { style: 'narrow', numeric }).format(Math.trunc(distanceMs / unitMs), unit)
}

/** @type {Map<string, Intl.DateTimeFormat>} */
const formats = new Map()

/**
 * A moment for people: `21 Nov, 15:13:42`.
 *
 * @param {number} atMs
 * @param {Lang} lang
 * @param {string | undefined} timeZone An IANA name; undefined for the zone of this machine.
 * @param {'short'} [timeZoneName] Adds the name of the zone.
 * @returns {string}
 */
export function stamp(atMs, lang, timeZone, timeZoneName) {
  const key = `${lang} ${timeZone} ${timeZoneName}`
  const format =
    formats.get(key) ??
    new Intl.DateTimeFormat(lang === 'en' ? 'en-GB' : lang, {
      day: '2-digit',
      month: 'short',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      ...(timeZone && { timeZone }),
      ...(timeZoneName && { timeZoneName }),
    })
  formats.set(key, format)
  return format.format(atMs)
}
