// @ts-check

/** How long a button shows the result. */
const saidMs = 2_000

/** What a button said before, and what puts that back. @type {WeakMap<HTMLElement, { readonly label: string | null, readonly timer: number }>} */
const saying = new WeakMap()

/** Buttons that copy the text of an element: the one that `data-copies` names, or else the one before the button. */
export function keepCopying() {
  document.addEventListener('click', async ({ target }) => {
    const button = target instanceof Element ? target.closest('button[data-copies]') : null
    if (!(button instanceof HTMLButtonElement)) return
    const id = button.dataset['copies']
    const source = id ? document.getElementById(id) : button.previousElementSibling
    if (!(source instanceof HTMLElement)) return
    const isCopied = await copy(source)
    const { done = '', selected = '' } = button.dataset
    say(button, isCopied ? done : selected, isCopied)
  })
}

/**
 * @param {HTMLElement} source
 * @returns {Promise<boolean>} False where the text is only selected: a page on an insecure origin has no clipboard.
 */
async function copy(source) {
  try {
    await navigator.clipboard.writeText(source.textContent)
    return true
  } catch {
    getSelection()?.selectAllChildren(source)
    return false
  }
}

/** @param {HTMLButtonElement} button @param {string} text @param {boolean} isGood */
function say(button, text, isGood) {
  // A button with a picture has its words in an element of their own.
  const words = button.querySelector('span') ?? button
  const before = saying.get(button)
  // At a second click the button shows the result of the first: that is not its name.
  const label = before ? before.label : words.textContent
  clearTimeout(before?.timer)
  button.classList.toggle('good', isGood)
  words.textContent = text
  const timer = window.setTimeout(() => {
    saying.delete(button)
    button.classList.remove('good')
    words.textContent = label
  }, saidMs)
  saying.set(button, { label, timer })
}
