// @ts-check

/** Buttons that copy the text or value of an element: the one that `data-copies` names, or else the one before the button. */
export function keepCopying() {
  document.addEventListener('click', async ({ target }) => {
    const button = target instanceof Element ? target.closest('button[data-copies]') : null
    if (!(button instanceof HTMLButtonElement)) return
    const id = button.dataset['copies']
    const source = id ? document.getElementById(id) : button.previousElementSibling
    // A button with a picture has its words in an element of their own.
    const words = button.querySelector('span') ?? button
    const { textContent: label } = words
    if (!(source instanceof HTMLElement)) return
    await copy(source)
    button.classList.add('good')
    words.textContent = button.dataset['done'] ?? label
    setTimeout(() => {
      button.classList.remove('good')
      words.textContent = label
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
