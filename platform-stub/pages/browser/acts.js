// @ts-check
import { curlLine } from './curl-line.js'

/**
 * Sends the console's forms to the control routes as JSON, and shows the answer and the same request as a line for curl.
 *
 * @param {() => Promise<void>} refresh Shows the new state.
 */
export function keepActs(refresh) {
  document.querySelector('[data-closes]')?.addEventListener('click', () => showOutcome('calm', ''))
  document.addEventListener('submit', async (event) => {
    const form = event.target
    if (!(form instanceof HTMLFormElement) || !form.dataset['act']) return
    event.preventDefault()
    if (form.ariaBusy || (form.dataset['question'] && !confirm(form.dataset['question']))) return
    const { path, ...request } = requestOf(form)
    const button = form.querySelector('button')
    form.ariaBusy = 'true'
    // Not `disabled`: a disabled button loses the focus.
    button?.setAttribute('aria-disabled', 'true')
    try {
      const response = await fetch(path, request)
      const { message = response.statusText, data } = await response.json().catch(() => ({}))
      const line = curlLine({ ...request, url: new URL(path, location.href).href })
      showOutcome(response.ok ? 'good' : 'bad', `${response.status} ${message}`, line)
      if (response.ok) delete form.dataset['touched']
      const goesTo = response.ok ? fillIn(form.dataset['goesTo'] ?? '', data) : ''
      if (goesTo) location.assign(goesTo)
      else await refresh()
    } catch {
      showOutcome('bad', document.getElementById('outcome')?.dataset['noAnswer'] ?? '')
    } finally {
      form.ariaBusy = null
      button?.removeAttribute('aria-disabled')
    }
  })
}

/** The request of a form. Its fields go into the body, or into the path if the path names them. @param {HTMLFormElement} form */
function requestOf(form) {
  const { act: method = 'POST', path = '', body = '{}' } = form.dataset
  /** @type {Record<string, unknown>} */
  const values = JSON.parse(body)
  /** @type {Record<string, string>} */
  const inPath = {}
  /** @type {NodeListOf<HTMLInputElement>} */
  const fields = form.querySelectorAll('input:not([type="radio"]), input:checked, select')
  // Hidden fields belong to another kind of fault.
  for (const { name, value, type } of [...fields].filter((field) => field.value && field.checkVisibility())) {
    if (path.includes(`{${name}}`)) inPath[name] = value
    else values[name] = type === 'number' ? Number(value) : value
  }
  const hasBody = Object.keys(values).length > 0
  const json = { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(values) }
  return { method, path: fillIn(path, inPath), ...(hasBody && json) }
}

/** @param {string} template @param {Record<string, unknown> | undefined} values */
function fillIn(template, values) {
  return template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(values?.[name] ?? '')))
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let hiding

/**
 * Shows what an act led to. A success goes away by itself; a refusal stays until it is closed or replaced.
 *
 * @param {'good' | 'bad' | 'calm'} tone @param {string} text Hides the last one if empty. @param {string} [line]
 */
function showOutcome(tone, text, line = '') {
  const outcome = document.getElementById('outcome')
  const [said, code] = [outcome?.querySelector('p'), outcome?.querySelector('code')]
  if (!outcome || !said || !code) return
  clearTimeout(hiding)
  outcome.className = `card pad ${tone}`
  said.textContent = text
  code.textContent = line
  if (tone === 'good') hiding = setTimeout(() => showOutcome('calm', ''), 12_000)
}
