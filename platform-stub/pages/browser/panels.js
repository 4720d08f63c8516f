// @ts-check

/** Escape closes a panel that lies over the page, `<details data-panel>`, and gives the keyboard back to what opened it. */
export function keepPanels() {
  document.addEventListener('keydown', ({ key }) => {
    const panel = key === 'Escape' ? document.querySelector('details[data-panel][open]') : null
    if (!(panel instanceof HTMLDetailsElement)) return
    panel.open = false
    panel.querySelector('summary')?.focus()
  })
}
