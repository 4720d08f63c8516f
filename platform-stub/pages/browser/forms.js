// @ts-check

/**
 * Whether somebody is at a form: it has the keyboard, or a field says something else than the page did.
 *
 * @param {HTMLFormElement} form
 */
export function isTouched(form) {
  return form.contains(document.activeElement) || [...form.elements].some(isChanged)
}

/**
 * What a form says was sent and is nobody's draft any more.
 *
 * @param {HTMLFormElement} form
 */
export function noteSent(form) {
  for (const field of form.elements) {
    if (field instanceof HTMLInputElement) {
      field.defaultValue = field.value
      field.defaultChecked = field.checked
    } else if (field instanceof HTMLSelectElement) {
      for (const option of field.options) option.defaultSelected = option.selected
    }
  }
}

/** @param {Element} field */
function isChanged(field) {
  if (field instanceof HTMLInputElement) {
    return field.value !== field.defaultValue || field.checked !== field.defaultChecked
  }
  if (!(field instanceof HTMLSelectElement)) return false
  const options = [...field.options]
  // Where none is marked, the browser begins with the first.
  return (
    field.selectedIndex !==
    Math.max(
      0,
      options.findIndex(({ defaultSelected }) => defaultSelected),
    )
  )
}
