import type { Context } from 'hono'
import { html } from 'hono/html'
import type { StubEnv } from '../http/framework.ts'
import { assetUrl } from './assets.ts'

/** A piece of a page. `html` escapes every value in it. */
export type Html = ReturnType<typeof html>

/** The language of a page, as `<html lang>` and `Intl` name it. */
export type Lang = 'en' | 'pt-BR'

/** The part that differs from page to page. `pageResponse` adds the rest. */
export interface Page {
  readonly lang: Lang
  readonly title: string
  /** Style sheets in addition to those of every page. */
  readonly styles: readonly string[]
  /** The page's module. A page works without it, but does not update itself. */
  readonly script?: string
  /** The body element. */
  readonly body: Html
}

/** Everything comes from this origin. No inline script or style runs, and no other page may frame this one. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

const headers = {
  'Content-Security-Policy': contentSecurityPolicy,
  'Cache-Control': 'no-store',
  // The address contains the token, which is enough to act as the buyer.
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
}

/** A page in the stub's visual language, with the headers that let it fetch only from its own origin. */
export function pageResponse(context: Context<StubEnv>, status: number, page: Page) {
  const sheets = ['base.css', 'parts.css', ...page.styles]
  const document = html`<!doctype html>
<html lang="${page.lang}">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${page.title}</title>
    <link rel="icon" href="${assetUrl('icon.svg')}" type="image/svg+xml">
    <link rel="preload" href="${assetUrl('inter.woff2')}" as="font" type="font/woff2" crossorigin>
    ${sheets.map((sheet) => html`<link rel="stylesheet" href="${assetUrl(sheet)}">`)}
    ${page.script && html`<script type="module" src="${assetUrl(page.script)}"></script>`}
  </head>
  ${page.body}
</html>`
  return context.html(document, status as 200, headers)
}
