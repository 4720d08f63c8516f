// @ts-check
import { Idiomorph } from './idiomorph.js'

/**
 * Keeps a page up to date. The stub says when something changed. Then the script fetches the page again and replaces only
 * what differs, so that focus, selection, scroll position and typed text stay.
 *
 * `<body data-live="address of the stream" data-version="what the page shows">`. A hidden page does not
 * listen, because a browser has six connections to a host and each stream uses one.
 *
 * @param {() => void} onRefresh Called after each replacement.
 * @returns {() => Promise<void>} Fetches the page now.
 */
export function keepLive(onRefresh) {
  /** @type {EventSource | undefined} */
  let stream
  /** @type {Promise<void>} */
  let last = Promise.resolve()
  let isAskedAgain = false

  const fetchPage = async () => {
    isAskedAgain = false
    const response = await fetch(location.href, { cache: 'no-store', headers: { Accept: 'text/html' } })
    replace(new DOMParser().parseFromString(await response.text(), 'text/html'))
    onRefresh()
  }
  const refresh = () => {
    // One fetch at a time, and one more for all that is asked for meanwhile. A fetch fails while the stub is away: when it
    // is back, the stream opens again and names another version.
    if (!isAskedAgain) last = last.then(fetchPage).catch(() => undefined)
    isAskedAgain = true
    return last
  }

  const listen = () => {
    const { live } = document.body.dataset
    if (!live || document.hidden) return
    stream = new EventSource(live)
    stream.onopen = () => showConnection('live')
    stream.onerror = () => showConnection('lost')
    stream.onmessage = ({ data }) => {
      if (data !== document.body.dataset['version']) void refresh()
    }
  }
  const stop = () => stream?.close()
  document.addEventListener('visibilitychange', () => (document.hidden ? stop() : listen()))
  addEventListener('pagehide', stop)
  addEventListener('pageshow', ({ persisted }) => persisted && listen())
  document.addEventListener('input', ({ target }) => {
    if (target instanceof Element) target.closest('form')?.setAttribute('data-touched', '')
  })
  listen()
  return refresh
}

/** @param {Document} fresh */
function replace(fresh) {
  const main = document.querySelector('[data-live-region]')
  const isOtherLanguage = fresh.documentElement.lang !== document.documentElement.lang
  if (!main || !fresh.querySelector('[data-live-region]') || isOtherLanguage) {
    // Not reload(): if this page is the answer to a form, the browser would post the form again.
    return location.replace(location.pathname + location.search)
  }
  const focused = document.activeElement
  document.title = fresh.title
  for (const [name, value] of Object.entries(fresh.body.dataset)) document.body.dataset[name] = value ?? ''
  for (const region of document.querySelectorAll('[data-live-region]')) {
    const next = fresh.querySelector(`[data-live-region="${region.getAttribute('data-live-region')}"]`)
    if (next) void Idiomorph.morph(region, next, { callbacks: { beforeAttributeUpdated, beforeNodeMorphed } })
  }
  if (focused !== document.body && document.activeElement === document.body) keepFocus(focused)
}

/**
 * The keyboard focus stays where it was, or moves to the content if that element is gone. It never jumps to the top.
 *
 * @param {Element | null} focused
 */
function keepFocus(focused) {
  if (focused instanceof HTMLElement) focused.focus()
  if (document.activeElement === document.body) document.getElementById('content')?.focus({ preventScroll: true })
}

/** Attributes that only the script sets, while an act is in progress. A fetched page never has them. */
const actAttributes = new Set(['aria-busy', 'aria-disabled'])

/**
 * An opened element stays open.
 *
 * @param {string} name @param {Element} element
 */
function beforeAttributeUpdated(name, element) {
  return !actAttributes.has(name) && !(name === 'open' && element instanceof HTMLDetailsElement)
}

/**
 * A form that is in use is not changed: it has the focus, or something was typed and not sent.
 *
 * @param {Node} node
 */
function beforeNodeMorphed(node) {
  return !(
    node instanceof HTMLFormElement &&
    'kept' in node.dataset &&
    ('touched' in node.dataset || node.contains(document.activeElement))
  )
}

/** @param {'live' | 'lost'} state */
function showConnection(state) {
  document.body.dataset['connection'] = state
  const said = document.getElementById('connection')
  if (said) said.textContent = said.dataset[state] ?? ''
}
