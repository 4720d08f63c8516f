// @ts-check

/** Buttons that copy: `data-copies` names the element whose text or value goes to the clipboard. */
export function keepCopying() {
  document.addEventListener('click', async ({ target }) => {
    const button = target instanceof Element ? target.closest('button[data-copies]') : null
    if (!(button instanceof HTMLButtonElement)) return
    const source = document.getElementById(button.dataset['copies'] ?? '')
    if (!source) return
    const label = button.querySelector('[data-label]') ?? button
    const before = label.textContent
    await copy(source)
    label.textContent = button.dataset['done'] ?? before
    button.classList.add('good')
    setTimeout(() => {
      label.textContent = before
      button.classList.remove('good')
    }, 2_000)
  })
}

/** @param {HTMLElement} source */
async function copy(source) {
  const text = source instanceof HTMLTextAreaElement ? source.value : (source.textContent ?? '')
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    // A page on an insecure origin has no clipboard. Selected text can be copied by hand.
    if (source instanceof HTMLTextAreaElement) source.select()
    else getSelection()?.selectAllChildren(source)
  }
}
