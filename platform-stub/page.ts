import type { Context } from 'hono'
import { html } from 'hono/html'
import type { StubEnv } from './control/request.ts'

type Html = ReturnType<typeof html>

const style = `
  body { font: 1rem/1.5 system-ui, sans-serif; max-width: 32rem; margin: 2rem auto; padding: 0 1rem }
  dl { display: grid; grid-template-columns: auto 1fr; gap: .25rem 1rem }
  dt { font-weight: 600 } dd { margin: 0; overflow-wrap: anywhere; white-space: pre-wrap }
  button { font: inherit; padding: .5rem 1rem; margin-right: .5rem }
`

const headers = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'Cache-Control': 'no-store',
  // The token in the address is all that a stranger would need.
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
}

/** A page in Brazilian Portuguese that fetches nothing from anywhere. Values in `content` are escaped by `html`. */
export function pageResponse(context: Context<StubEnv>, status: number, title: string, content: Html) {
  const page = html`<!doctype html>
<html lang="pt-BR">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <style>${style}</style>
  </head>
  <body>
    <main>
      <h1>${title}</h1>
      ${content}
    </main>
  </body>
</html>`
  return context.html(page, status as 200, headers)
}
