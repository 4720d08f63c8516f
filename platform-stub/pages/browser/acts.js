// @ts-check
import { curlLine } from './curl-line.js'
import { noteSent } from './forms.js'

/**
 * Sends the console's forms to the control routes as JSON, and shows the answer and the same request as a line for curl.
 *
 * @param {() => Promise<void>} refresh Shows the new state.
 */
export function keepActs(refresh) {
  /** @type {WeakSet<HTMLFormElement>} */
  const inProgress = new WeakSet()
  document.querySelector('#outcome [data-closes]')?.addEventListener('click', hideOutcome)
  document.addEventListener('submit', async (event) => {
    const form = event.target
    if (!(form instanceof HTMLFormElement) || !form.dataset['act']) return
    event.preventDefault()
    if (inProgress.has(form)) return
    if (form.dataset['question'] && !confirm(form.dataset['question'])) return
    const request = requestOf(form)
    const button = form.querySelector('button')
    inProgress.add(form)
    // Not `disabled`: a disabled button loses the focus.
    button?.setAttribute('aria-disabled', 'true')
    form.setAttribute('aria-busy', 'true')
    try {
      const response = await fetch(request.path, {
        method: request.method,
        ...(request.body && { headers: { 'Content-Type': 'application/json' }, body: request.body }),
      })
      const answer = await response.json().catch(() => ({}))
      showAnswer(request, response, answer)
      if (response.ok) noteSent(form)
      const goesTo = response.ok ? fillIn(form.dataset['goesTo'] ?? '', answer.data) : ''
      if (goesTo) location.assign(goesTo)
      else await refresh()
    } catch {
      showOutcome('bad', 'The stub did not answer. Is it still running?')
    } finally {
      inProgress.delete(form)
      button?.removeAttribute('aria-disabled')
      form.removeAttribute('aria-busy')
    }
  })
}

/** @typedef {{ method: string, path: string, body: string }} Request */

/**
 * @param {HTMLFormElement} form
 * @returns {Request}
 */
function requestOf(form) {
  /** @type {Record<string, unknown>} */
  const body = JSON.parse(form.dataset['body'] ?? '{}')
  /** @type {Record<string, string>} */
  const inPath = {}
  for (const field of form.elements) {
    if (!(field instanceof HTMLInputElement || field instanceof HTMLSelectElement) || !field.name) continue
    if (field.type === 'radio' && !('checked' in field && field.checked)) continue
    // Hidden fields belong to another kind of fault.
    if (field.offsetParent === null || field.value === '') continue
    if (field.dataset['in'] === 'path') inPath[field.name] = field.value
    else body[field.name] = field.dataset['type'] === 'number' ? Number(field.value) : field.value
  }
  return {
    method: form.dataset['act'] ?? 'POST',
    path: fillIn(form.dataset['path'] ?? '', inPath),
    body: Object.keys(body).length > 0 ? JSON.stringify(body) : '',
  }
}

/** @param {string} template @param {Record<string, unknown> | undefined} values */
function fillIn(template, values) {
  return template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(values?.[name] ?? '')))
}

/** @param {Request} request @param {Response} response @param {{ message?: string }} answer */
function showAnswer(request, response, answer) {
  const line = curlLine({ ...request, url: new URL(request.path, location.href).href })
  showOutcome(response.ok ? 'good' : 'bad', `${response.status} ${answer.message ?? response.statusText}`, line)
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let hiding

/**
 * Shows what an act led to. A success goes away by itself; a refusal stays until it is closed or replaced.
 *
 * @param {'good' | 'bad'} tone @param {string} text @param {string} [line]
 */
function showOutcome(tone, text, line = '') {
  const outcome = document.getElementById('outcome')
  if (!outcome) return
  clearTimeout(hiding)
  outcome.className = `outcome said ${tone}`
  const [said, code] = [outcome.querySelector('p'), outcome.querySelector('code')]
  if (said) said.textContent = text
  if (code) code.textContent = line
  if (tone === 'good') hiding = setTimeout(hideOutcome, 12_000)
}

function hideOutcome() {
  document.getElementById('outcome')?.classList.remove('said')
}
