// @ts-check
import { Idiomorph } from './idiomorph.js'

/** Between two attempts to reach a stub that is away: the first is soon, and each waits twice as long as the one before. */
const retryMsMin = 500
const retryMsMax = 10_000

/** How often a hidden page is fetched: its title says in the browser's tab what happened. */
const hiddenRefreshMs = 10_000

/**
 * Keeps a page up to date. The stub says when something changed. Then the script fetches the page again and replaces only
 * what differs, so that focus, selection, scroll position and typed text stay.
 *
 * `<body data-live="address of the stream" data-version="what the page shows">`. A hidden page does not listen, because a
 * browser has six connections to a host and each stream uses one: it is fetched now and then.
 *
 * The page never stops asking. An `EventSource` does, at the first answer that is not 200, and a proxy gives one while
 * the stub starts again. So each stream is used until its first error and then replaced.
 *
 * @param {() => void} onRefresh Called after each replacement.
 * @returns {() => Promise<void>} Fetches the page now.
 */
export function keepLive(onRefresh) {
  /** @type {EventSource | undefined} */
  let stream
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  let retryMs = retryMsMin
  /** @type {Promise<void>} */
  let last = Promise.resolve()
  let isAskedAgain = false

  const fetchPage = async () => {
    isAskedAgain = false
    const response = await fetch(location.href, { cache: 'no-store', headers: { Accept: 'text/html' } })
    replace(new DOMParser().parseFromString(await response.text(), 'text/html'))
    onRefresh()
  }
  // One fetch at a time, and one more for all that is asked for meanwhile.
  const refresh = () => {
    if (!isAskedAgain) last = last.catch(() => undefined).then(fetchPage)
    isAskedAgain = true
    return last
  }

  const listen = () => {
    stop()
    const { live } = document.body.dataset
    if (!live) return
    if (document.hidden) return lookLater(hiddenRefreshMs)
    stream = new EventSource(live)
    stream.onopen = () => {
      retryMs = retryMsMin
      showConnection('live')
    }
    stream.onerror = lose
    stream.onmessage = ({ data }) => {
      if (data !== document.body.dataset['version']) refresh().catch(lose)
    }
  }
  const lose = () => {
    stop()
    showConnection('lost')
    lookLater(retryMs)
    retryMs = Math.min(2 * retryMs, retryMsMax)
  }
  /** @param {number} afterMs */
  const lookLater = (afterMs) => {
    timer = setTimeout(() => refresh().then(listen, lose), afterMs)
  }
  const stop = () => {
    clearTimeout(timer)
    stream?.close()
  }
  // A page that comes back into view listens at once. The stream begins with the present version.
  document.addEventListener('visibilitychange', listen)
  addEventListener('pagehide', stop)
  addEventListener('pageshow', ({ persisted }) => persisted && listen())
  document.addEventListener('input', ({ target }) => {
    if (target instanceof Element) target.closest('form')?.setAttribute('data-touched', '')
  })
  listen()
  return () => refresh().catch(lose)
}

/**
 * @param {Document} fresh
 * @throws {Error} It is not a page of the stub. A proxy answers with a page of its own while the stub is away.
 */
function replace(fresh) {
  if (!fresh.querySelector('[data-live-region]')) throw new Error('not a page of the stub')
  if (fresh.documentElement.lang !== document.documentElement.lang) {
    // Not reload(): if this page is the answer to a form, the browser would post the form again.
    return location.replace(location.pathname + location.search)
  }
  const focused = document.activeElement
  document.title = fresh.title
  // A page that is final names no stream.
  delete document.body.dataset['live']
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
