import type { Context } from 'hono'
import { html } from 'hono/html'
import type { StubClock } from '../clock/clock.ts'
import { iso } from '../clock/iso.ts'
import type { StubEnv } from '../http/framework.ts'
import { isForeignPage } from '../http/origin.ts'
import type { Directory } from '../marketplace/game-servers/directory.ts'
import { playerTexts as texts } from '../marketplace/messages.ts'
import type { Platform } from '../marketplace/platform.ts'
import type { Changes } from './changes.ts'
import { type Html, pageResponse } from './document.ts'
import { mark, notice } from './parts.ts'

/** What the pages for buyers and players read. */
export interface PlayerPageParts {
  readonly platform: Platform
  readonly directory: Directory
  readonly clock: StubClock
  readonly changes: Changes
}

/** The part of a buyer's or player's page that differs from page to page. */
export interface PlayerPage {
  readonly title: string
  readonly content: Html
  /** The stream that says when the page changes, and the version that it shows; null for a page that never changes. */
  readonly live: { readonly stream: string; readonly version: string } | null
}

/** A page for buyers and players, in Brazilian Portuguese. */
export function playerPage(context: Context<StubEnv>, status: number, { clock }: PlayerPageParts, page: PlayerPage) {
  const { title, content, live } = page
  return pageResponse(context, status, {
    lang: 'pt-BR',
    title: `${title} · ${texts.brand}`,
    styles: ['player.css'],
    script: 'player.js',
    body: html`<body class="player" data-now="${iso(clock.nowMs())}" ${live ? html`data-live="${live.stream}" data-version="${live.version}"` : ''}>
      <header>
        <p class="ribbon wait">${texts.ribbon}</p>
        <div class="row brand">${mark()}<span>${texts.brand}</span></div>
      </header>
      <main class="stack" data-live-region="main">
        <h1>${title}</h1>
        ${content}
      </main>
      <footer class="small-print soft">${texts.smallPrint}</footer>
    </body>`,
  })
}

/** A page with one notice and nothing else. */
export function noticePage(
  context: Context<StubEnv>,
  status: number,
  parts: PlayerPageParts,
  { heading, title, text }: { readonly heading: string; readonly title: string; readonly text: string },
) {
  const content = html`<div class="card stack lone">${notice('bad', 'alert', { title, text }, 'alert')}</div>`
  return playerPage(context, status, parts, { title: heading, content, live: null })
}

/** The answer to a form that another page sent; undefined for one of this page. */
export function foreignForm(context: Context<StubEnv>, parts: PlayerPageParts, heading: string) {
  if (!isForeignPage(context.env.request, parts.platform.publicUrl())) return undefined
  return noticePage(context, 403, parts, { heading, ...texts.foreignOrigin })
}
