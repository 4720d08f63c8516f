// @ts-check
import { isTouched } from './forms.js'
import { Idiomorph } from './idiomorph.js'

/**
 * Keeps a page as it would be if it were loaded now. The stub says when something changed; the page is fetched again and
 * only what differs is replaced, so that focus, selection, scrolling and what somebody typed stay.
 *
 * `<body data-live="address of the stream" data-version="what the page shows">`. A hidden page listens to nothing: a
 * browser has six connections to a host, and each stream holds one.
 *
 * @param {() => void} refreshed Called after each replacement.
 * @returns {() => Promise<void>} Fetches the page now.
 */
export function keepLive(refreshed) {
  /** @type {EventSource | undefined} */
  let stream
  let isUnderWay = false
  let isAskedAgain = false

  const refresh = async () => {
    if (isUnderWay) {
      isAskedAgain = true
      return
    }
    isUnderWay = true
    try {
      const response = await fetch(location.href, { cache: 'no-store', headers: { Accept: 'text/html' } })
      replace(new DOMParser().parseFromString(await response.text(), 'text/html'))
      refreshed()
    } catch {
      // The stub is away; the stream opens again when it is back, and tells another version then.
    } finally {
      isUnderWay = false
      if (isAskedAgain) {
        isAskedAgain = false
        void refresh()
      }
    }
  }

  const listen = () => {
    const { live } = document.body.dataset
    if (!live || document.hidden) return
    stream = new EventSource(live)
    stream.onopen = () => tellConnection('live')
    stream.onerror = () => tellConnection('lost')
    stream.onmessage = ({ data }) => {
      if (data !== document.body.dataset['version']) void refresh()
    }
  }
  const leave = () => stream?.close()
  document.addEventListener('visibilitychange', () => (document.hidden ? leave() : listen()))
  addEventListener('pagehide', leave)
  addEventListener('pageshow', ({ persisted }) => persisted && listen())
  listen()
  return refresh
}

/** @param {Document} fresh */
function replace(fresh) {
  const main = document.querySelector('[data-live-region]')
  if (!main || !fresh.querySelector('[data-live-region]')) {
    // Not reload(): that would post a form again if the page was the answer to one.
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
 * Whoever works by keyboard goes on where he was, or at the content when that is gone; not at the top of the page.
 *
 * @param {Element | null} focused
 */
function keepFocus(focused) {
  if (focused instanceof HTMLElement) focused.focus()
  if (document.activeElement === document.body) document.getElementById('content')?.focus({ preventScroll: true })
}

/** What the page's script says of an act that is under way; no page that is made says it. */
const saidOfActs = new Set(['aria-busy', 'aria-disabled'])

/**
 * What was opened stays open.
 *
 * @param {string} name @param {Element} element
 */
function beforeAttributeUpdated(name, element) {
  return !saidOfActs.has(name) && !(name === 'open' && element instanceof HTMLDetailsElement)
}

/**
 * A form that somebody is at is left alone.
 *
 * @param {Node} node
 */
function beforeNodeMorphed(node) {
  return !(node instanceof HTMLFormElement && 'kept' in node.dataset && isTouched(node))
}

/** @param {'live' | 'lost'} state */
function tellConnection(state) {
  document.body.dataset['connection'] = state
  const said = document.getElementById('connection')
  if (said) said.textContent = said.dataset[state] ?? ''
}
