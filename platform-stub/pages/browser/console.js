// @ts-check
import { keepActs } from './acts.js'
import { keepCopying } from './copying.js'
import { keepLive } from './live.js'
import { keepTimes } from './times.js'

const refresh = keepLive(() => tick())
const tick = keepTimes(() => undefined)
keepCopying()
keepActs(refresh)

// An empty field of a search stays out of the address.
document.addEventListener('formdata', ({ formData }) => {
  for (const [name, value] of [...formData]) if (value === '') formData.delete(name)
})

// Escape closes a panel over the page and moves the focus back to its summary.
document.addEventListener('keydown', ({ key }) => {
  const panel = key === 'Escape' ? document.querySelector('details[data-panel][open]') : null
  if (!(panel instanceof HTMLDetailsElement)) return
  panel.open = false
  panel.querySelector('summary')?.focus()
})

// On a phone the menu and the choices above a list scroll sideways. They begin at the page's own entry, and at the choice.
for (const frame of document.querySelectorAll('.places, .choices')) {
  const present = frame.querySelector('[aria-current]')?.getBoundingClientRect()
  if (present)
    frame.scrollLeft = present.x + present.width / 2 - frame.getBoundingClientRect().x - frame.clientWidth / 2
}
