// @ts-check

/** Buttons that copy: `data-copies` names the element whose text or value goes to the clipboard. */
export function keepCopying() {
  document.addEventListener('click', async ({ target }) => {
    const button = target instanceof Element ? target.closest('button[data-copies]') : null
    if (!(button instanceof HTMLButtonElement)) return
    const source = document.getElementById(button.dataset['copies'] ?? '')
    const { textContent: label } = button
    if (!source) return
    await copy(source)
    button.textContent = button.dataset['done'] ?? label
    setTimeout(() => {
      button.textContent = label
    }, 2_000)
  })
}

/** @param {HTMLElement} source */
async function copy(source) {
  try {
    await navigator.clipboard.writeText(source instanceof HTMLTextAreaElement ? source.value : source.textContent)
  } catch {
    // A page on an insecure origin has no clipboard. Selected text can be copied by hand.
    if (source instanceof HTMLTextAreaElement) source.select()
    else getSelection()?.selectAllChildren(source)
  }
}
