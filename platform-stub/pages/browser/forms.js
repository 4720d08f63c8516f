// @ts-check

/**
 * Whether a form is in use: it has the focus, or a field differs from what the page says.
 *
 * @param {HTMLFormElement} form
 */
export function isTouched(form) {
  return form.contains(document.activeElement) || [...form.elements].some(isChanged)
}

/**
 * Marks the values of a form as sent, so that they no longer count as typed.
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
  // If no option is marked, the browser selects the first one.
  return (
    field.selectedIndex !==
    Math.max(
      0,
      options.findIndex(({ defaultSelected }) => defaultSelected),
    )
  )
}
