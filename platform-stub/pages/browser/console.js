// @ts-check
import { keepActs } from './acts.js'
import { keepCopying } from './copying.js'
import { keepLive } from './live.js'
import { keepPanels } from './panels.js'
import { keepTimes } from './times.js'

const refresh = keepLive(() => tick())
const tick = keepTimes(() => undefined)
keepCopying()
keepPanels()
keepActs(refresh)
// On a phone the menu and the drawn machines scroll sideways. They begin at the page's own entry, and at the present state.
for (const menu of document.querySelectorAll('.places')) {
  const entry = menu.querySelector('[aria-current]')
  if (entry instanceof HTMLElement) centre(menu, entry.offsetLeft + entry.offsetWidth / 2)
}
for (const frame of document.querySelectorAll('.machine-frame')) {
  const state = frame.querySelector('.current')?.getBoundingClientRect()
  const middle = state ? state.x + state.width / 2 - frame.getBoundingClientRect().x : frame.scrollWidth / 2
  centre(frame, middle)
}

/** @param {Element} frame @param {number} middle */
function centre(frame, middle) {
  frame.scrollLeft = middle - frame.clientWidth / 2
}
