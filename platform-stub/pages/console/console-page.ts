import type { Context } from 'hono'
import { html } from 'hono/html'
import { iso } from '../../clock/iso.ts'
import type { StubEnv } from '../../developer/control/control-parts.ts'
import { type Html, pageResponse } from '../document.ts'
import { mark } from '../parts.ts'
import { clockPanel } from './clock-panel.ts'
import type { ConsolePage, ConsoleParts } from './console-parts.ts'
import { emptyState } from './list.ts'

/** The pages in the console's menu, in their order. */
const menu = {
  '/console': 'Overview',
  '/console/transactions': 'Transactions',
  '/console/listings': 'Listings',
  '/console/webhooks': 'Webhooks',
  '/console/requests': 'Requests',
  '/console/game-servers': 'Game servers',
  '/console/faults': 'Faults',
  '/docs': 'API reference',
  '/openapi.json': 'OpenAPI',
} as const

/** A page for one thing of a list: with the way back to the list, and what is said beside the heading. */
export function detailPage(
  list: keyof typeof menu,
  title: string,
  heading: Html,
  aside: Html,
  content: Html,
): ConsolePage {
  return {
    title,
    content: html`<p><a href="${list}">${menu[list]}</a></p>
      <div class="row"><h1>${heading}</h1>${aside}</div>
      ${content}`,
  }
}

/** The page for something that does not exist. @param list The list to go back to; the overview if there is none. */
export function notFoundPage(heading: string, list: keyof typeof menu = '/console'): ConsolePage {
  const back = html`<a href="${list}">${list === '/console' ? 'Overview' : 'All that there are'}</a>`
  return { title: heading, status: 404, content: html`<h1>${heading}</h1>${emptyState('This does not exist', back)}` }
}

/** A page of the console as an answer, live. */
export function showPage(
  context: Context<StubEnv>,
  parts: ConsoleParts,
  { title, content, status = 200 }: ConsolePage,
) {
  const place = context.req.path.split('/', 3).join('/')
  return pageResponse(context, status, {
    lang: 'en',
    title: `${title} · platform-stub`,
    styles: ['console.css', 'machine.css'],
    script: 'console.js',
    body: html`<body class="console" data-now="${iso(parts.clock.nowMs())}" data-live="/console/changes" data-version="${consoleVersion(parts)}">
      <a class="button first hidden-text" href="#content">Skip to content</a>
      <header class="row top">
        <a class="row brand" href="/console">${mark()}<span>platform-stub</span></a>
        <span class="badge connection"><span class="hidden-text">Updates: </span><span id="connection" data-live="live" data-lost="reconnecting…">not live</span></span>
        ${clockPanel(parts)}
      </header>
      <nav class="places" aria-label="Console">
        ${Object.entries(menu).map(
          ([path, name]) =>
            html`<a class="button small plain" href="${path}" ${path === place ? html`aria-current="page"` : ''}>${name}</a>`,
        )}
      </nav>
      <main id="content" tabindex="-1" data-live-region="content">
        <noscript><p class="notice wait"><strong>The console acts through the control routes and needs JavaScript for that. Without it you can read, and reload.</strong></p></noscript>
        ${content}
      </main>
      <div id="outcome" class="card pad" role="status">
        <p></p>
        <button type="button" class="button small plain" data-closes>Close</button>
        <code id="outcome-line"></code>
        <button type="button" class="button small" data-copies="outcome-line" data-done="Copied">Copy</button>
      </div>
    </body>`,
  })
}

/** Names everything that the console can show. */
export function consoleVersion({ changes, queries, clock }: ConsoleParts): string {
  return `${changes.version}.${queries.rowsChanged()}.${clock.offsetMs}`
}
