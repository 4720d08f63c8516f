import { html } from 'hono/html'
import { iso } from '../../clock/iso.ts'
import { type Html, pageResponse } from '../document.ts'
import { mark } from '../icons.ts'
import { clockPanel } from './clock-panel.ts'
import type { ConsoleContext, ConsoleParts } from './console-parts.ts'

/** The pages in the console's menu, in their order. */
const menu = {
  '/console': 'Overview',
  '/console/transactions': 'Transactions',
  '/console/listings': 'Listings',
  '/console/webhooks': 'Webhooks',
  '/console/requests': 'Requests',
  '/console/game-servers': 'Game servers',
  '/console/faults': 'Faults',
} as const

/** The address of an entry of the menu. */
export type MenuPath = keyof typeof menu

/** One page of the console, within what all of them have. */
export interface ConsolePage {
  readonly title: string
  /** Which entry of the menu it belongs to; null for none. */
  readonly menuPath: MenuPath | null
  readonly content: Html
  readonly status?: number
}

/** A page of the console, live. */
export function consolePage(context: ConsoleContext, parts: ConsoleParts, page: ConsolePage) {
  const { title, menuPath, content, status = 200 } = page
  return pageResponse(context, status, {
    lang: 'en',
    title: `${title} · platform-stub`,
    styles: ['frame.css', 'console.css', 'lists.css', 'machine.css'],
    script: 'console.js',
    body: html`<body class="console" data-now="${iso(parts.clock.nowMs())}" data-live="/console/changes" data-version="${consoleVersion(parts)}">
      <a class="button first skip" href="#content">Skip to content</a>
      <header class="top">
        <a class="brand" href="/console">${mark()}<span>platform-stub</span></a>
        <span class="connection"><span class="hidden-text">Updates: </span><span id="connection" data-live="live" data-lost="reconnecting…">not live</span></span>
        ${clockPanel(parts)}
      </header>
      <nav class="places" aria-label="Console">
        <ul>
          ${Object.entries(menu).map(
            ([path, name]) =>
              html`<li><a href="${path}" ${path === menuPath ? html`aria-current="page"` : ''}>${name}</a></li>`,
          )}
        </ul>
        <ul class="elsewhere">
          <li><a href="/docs">API reference</a></li>
          <li><a href="/openapi.json">OpenAPI</a></li>
        </ul>
      </nav>
      <main id="content" tabindex="-1" data-live-region="content">
        <noscript><p class="notice wait"><strong>The console acts through the control routes and needs JavaScript for that. Without it you can read, and reload.</strong></p></noscript>
        ${content}
      </main>
      <div id="outcome" class="outcome" role="status">
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
