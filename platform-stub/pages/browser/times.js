// @ts-check
import { countdown, duration, relative, stamp } from './moments.js'

/** The language of the page. */
const lang = document.documentElement.lang === 'en' ? 'en' : 'pt-BR'

/** What a time shows, by `data-shows`. @type {Record<string, (atMs: number, nowMs: number) => string>} */
const texts = {
  left: (atMs, nowMs) => countdown(atMs - nowMs),
  words: (atMs, nowMs) => duration(atMs - nowMs, lang),
  relative: (atMs, nowMs) => relative(atMs, nowMs, lang),
  moment: (atMs) => stamp(atMs, lang, zones[chosenZone()]),
  clock: (_, nowMs) => stamp(nowMs, lang, zones[chosenZone()], 'short'),
}

/** The zones that a reader can choose; that of this device has no name here. @type {Record<string, string | undefined>} */
const zones = { local: undefined, brasilia: 'America/Sao_Paulo', utc: 'UTC' }
const zoneKey = 'platform-stub-zone'

/** @returns {string} The one that was chosen in any tab of this browser. */
function chosenZone() {
  const chosen = localStorage.getItem(zoneKey) ?? ''
  return Object.hasOwn(zones, chosen) ? chosen : 'local'
}

/**
 * Updates every time on the page once a second.
 *
 * - `<time data-shows="left" datetime>` counts down like a clock, `words` in words; `relative` says how far off in either
 *   direction; `moment` is the day and the hour in the reader's zone; `clock` is the stub's time itself.
 * - `<select data-zones>` chooses that zone.
 * - `<progress data-until>` shrinks with its countdown.
 *
 * @param {() => void} onEnd Called once for each countdown that comes to its end.
 * @returns {() => void} Does it at once, after the page has changed.
 */
export function keepTimes(onEnd) {
  /** @type {WeakMap<Element, string>} */
  const over = new WeakMap()
  // The stub's time differs from this machine's when the stub's clock travels, so the page names it.
  let named = ''
  let startMs = 0
  const tick = () => {
    const { now = '' } = document.body.dataset
    if (now !== named) startMs = Date.parse(now) - performance.now()
    named = now
    const nowMs = startMs + performance.now()
    /** @type {NodeListOf<HTMLTimeElement>} */
    const times = document.querySelectorAll('time[data-shows]')
    for (const time of times) {
      const { shows = '' } = time.dataset
      const atMs = Date.parse(time.dateTime)
      const text = texts[shows]?.(atMs, nowMs) ?? ''
      if (time.textContent !== text) time.textContent = text
      if (!['left', 'words'].includes(shows) || atMs > nowMs || over.get(time) === time.dateTime) continue
      over.set(time, time.dateTime)
      onEnd()
    }
    const choice = document.querySelector('select[data-zones]')
    if (choice instanceof HTMLSelectElement && choice !== document.activeElement) choice.value = chosenZone()
    /** @type {NodeListOf<HTMLProgressElement>} */
    const bars = document.querySelectorAll('progress[data-until]')
    for (const bar of bars) {
      bar.value = Math.max(0, Date.parse(bar.dataset['until'] ?? '') - nowMs)
    }
  }
  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLSelectElement) || !target.matches('[data-zones]')) return
    localStorage.setItem(zoneKey, target.value)
    tick()
  })
  tick()
  setInterval(tick, 1_000)
  return tick
}
