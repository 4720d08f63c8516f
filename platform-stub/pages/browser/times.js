// @ts-check
import { countdown, duration, relative, stamp } from './durations.js'

/**
 * The stub's time. It differs from this machine's when the stub's clock travels, so the page names it.
 *
 * @returns {() => number} Unix ms.
 */
function stubClock() {
  let stated = ''
  let statedMs = Date.now()
  let readAtMs = performance.now()
  return () => {
    const { now = '' } = document.body.dataset
    if (now !== stated) {
      stated = now
      statedMs = Date.parse(now)
      readAtMs = performance.now()
    }
    return statedMs + performance.now() - readAtMs
  }
}

/**
 * Updates every time on the page once a second.
 *
 * - `<time data-shows="left" datetime>` counts down like a clock, `words` in words; `relative` says how far off in either
 *   direction; `clock` is the stub's time itself.
 * - `<progress data-until>` shrinks with its countdown.
 *
 * @param {() => void} onEnd Called once for each countdown that comes to its end.
 * @returns {() => void} Does it at once, after the page has changed.
 */
export function keepTimes(onEnd) {
  const nowMs = stubClock()
  /** @type {WeakMap<Element, string>} */
  const over = new WeakMap()
  const tick = () => {
    const now = nowMs()
    for (const time of document.querySelectorAll('time[data-shows]')) {
      if (!(time instanceof HTMLTimeElement)) continue
      const atMs = Date.parse(time.dateTime)
      if (time.dataset['shows'] === 'relative') show(time, relative(atMs, now))
      else if (time.dataset['shows'] === 'clock') show(time, stamp(now))
      else {
        show(time, time.dataset['shows'] === 'left' ? countdown(atMs - now) : duration(atMs - now))
        if (atMs > now || over.get(time) === time.dateTime) continue
        over.set(time, time.dateTime)
        onEnd()
      }
    }
    for (const bar of document.querySelectorAll('progress[data-until]')) {
      if (bar instanceof HTMLProgressElement) bar.value = Math.max(0, Date.parse(bar.dataset['until'] ?? '') - now)
    }
  }
  tick()
  setInterval(tick, 1_000)
  return tick
}

/** @param {Element} element @param {string} text */
function show(element, text) {
  if (element.textContent !== text) element.textContent = text
}
