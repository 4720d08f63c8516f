// @ts-check

/** Escape closes a panel over the page (`<details data-panel>`) and moves the focus back to its summary. */
export function keepPanels() {
  document.addEventListener('keydown', ({ key }) => {
    const panel = key === 'Escape' ? document.querySelector('details[data-panel][open]') : null
    if (!(panel instanceof HTMLDetailsElement)) return
    panel.open = false
    panel.querySelector('summary')?.focus()
  })
}
