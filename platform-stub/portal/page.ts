import { Hono } from 'hono'
import { html } from 'hono/html'
import { confirmLink, openLink } from '../characters/links.ts'
import { isForeignPage } from '../control/guard.ts'
import type { StubEnv } from '../control/request.ts'
import type { Directory } from '../game-servers/directory.ts'
import { portalTexts as texts } from '../messages.ts'
import { pageResponse } from '../page.ts'
import type { Platform } from '../platform.ts'
import { Refusal, refuse } from '../refusal.ts'

/** The player's page: confirms a character link, once, while it lives. Whoever has the token is the player. */
export function portalRoutes(platform: Platform, directory: Directory): Hono<StubEnv> {
  return new Hono<StubEnv>()
    .get('/links/:token', (context) => {
      const { token } = context.req.param()
      return pageOr(context, () => {
        const link = openLink(platform, token)
        return pageResponse(
          context,
          200,
          texts.title,
          html`
            <p>${texts.question}</p>
            <dl>
              <dt>${texts.character}</dt><dd>${link.characterName ?? link.characterRef}</dd>
              <dt>${texts.gameServer}</dt><dd>${directory.byId(link.gameServerId)?.name}</dd>
            </dl>
            <form method="post" action="/portal/links/${token}"><button>${texts.confirm}</button></form>
          `,
        )
      })
    })
    .post('/links/:token', (context) => {
      if (isForeignPage(context.env.incoming, platform.publicUrl())) throw refuse('CONTROL_FOREIGN_ORIGIN')
      return pageOr(context, async () => {
        await platform.transact(() => confirmLink(platform, context.req.param('token')))
        return pageResponse(context, 200, texts.title, html`<p role="status">${texts.done}</p>`)
      })
    })
}

type PageContext = Parameters<typeof pageResponse>[0]

/** The page, or a page that says why there is none. */
async function pageOr(context: PageContext, show: () => ReturnType<typeof pageResponse>) {
  try {
    return await show()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return pageResponse(context, error.status, texts.title, html`<p role="alert">${error.message}</p>`)
  }
}
