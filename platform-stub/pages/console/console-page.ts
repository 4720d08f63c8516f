import type { Context } from 'hono'
import { html } from 'hono/html'
import { iso } from '../../clock/iso.ts'
import type { StubEnv } from '../../http/framework.ts'
import { type Html, pageResponse } from '../document.ts'
import { copyButton, mark } from '../parts.ts'
import type { Texts } from '../texts/en.ts'
import { languageSwitch } from '../texts/language.ts'
import { clockPanel } from './clock-panel.ts'
import type { ConsolePage, ConsoleParts, SharedParts } from './console-parts.ts'
import { faultsNotice } from './faults-page.ts'
import { emptyState } from './list.ts'
import { phaseCounts } from './phase-view.ts'

/** A page for one thing of a list: with the way back to the list, and the text next to the heading. */
export function detailPage(
  { menu }: Texts,
  list: keyof Texts['menu'],
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
export function notFoundPage(t: Texts, heading: string, list: keyof Texts['menu'] = '/console/overview'): ConsolePage {
  const back = html`<a href="${list}">${list === '/console/overview' ? t.menu[list] : t.layout.allThatThereAre}</a>`
  return { title: heading, status: 404, content: html`<h1>${heading}</h1>${emptyState(t.layout.doesNotExist, back)}` }
}

/** A page of the console as an answer, live. */
export function showPage(
  context: Context<StubEnv>,
  parts: ConsoleParts,
  { title, content, status = 200 }: ConsolePage,
) {
  const { t } = parts
  const { path } = context.req
  // In the browser's tab, so that a new order is seen from another one.
  const waiting = phaseCounts(parts.queries).get('awaiting-server') ?? 0
  const place = path === '/console' ? '/console/overview' : path.split('/', 3).join('/')
  return pageResponse(context, status, {
    lang: t.lang,
    title: `${waiting > 0 ? `(${waiting}) ` : ''}${title} · platform-stub`,
    styles: ['console.css', 'machine.css'],
    script: 'console.js',
    body: html`<body class="console" data-now="${iso(parts.clock.nowMs())}" data-live="/console/changes" data-version="${consoleVersion(parts)}">
      <a class="button first hidden-text" href="#content">${t.layout.skip}</a>
      <header class="row top">
        <a class="row brand" href="/console">${mark()}<span>platform-stub</span></a>
        <span class="badge connection"><span class="hidden-text">${t.layout.updates}: </span><span id="connection" data-live="${t.layout.live}" data-lost="${t.layout.lost}">${t.layout.notLive}</span></span>
        ${languageSwitch(context, t)}
        ${clockPanel(parts)}
      </header>
      <nav class="places" aria-label="${t.layout.menu}">
        ${Object.entries(t.menu).map(
          ([href, name]) =>
            html`<a class="button small plain" href="${href}" ${href === place ? html`aria-current="page"` : ''}>${name}</a>`,
        )}
      </nav>
      <main id="content" tabindex="-1" data-live-region="content">
        <noscript><p class="notice wait"><strong>${t.layout.noScript}</strong></p></noscript>
        ${place === '/console/faults' ? '' : faultsNotice(parts)}
        ${content}
      </main>
      <div id="outcome" class="card pad" role="status" data-no-answer="${t.layout.noAnswer}">
        <p></p>
        <button type="button" class="button small plain" data-closes>${t.layout.close}</button>
        <code id="outcome-line"></code>
        ${copyButton(t.common, 'outcome-line')}
      </div>
    </body>`,
  })
}

/** Names everything that the console can show. */
export function consoleVersion({ changes, queries, clock }: SharedParts): string {
  return `${changes.version}.${queries.rowsChanged()}.${clock.offsetMs}`
}
