import { Hono } from 'hono'
import { confirmLink } from '../characters/links.ts'
import { playerTexts, portalTexts as texts } from '../messages.ts'
import { eventStreamHeaders } from '../pages/changes.ts'
import { noticePage, type PlayerPageParts } from '../pages/player-page.ts'
import { Refusal } from '../refusal.ts'
import type { StubEnv } from '../web/environment.ts'
import { isForeignPage } from '../web/origin.ts'
import { deadLinkPage, doneLinkPage, linkPage, linkVersion } from './page.ts'

/** The player's page: confirms a character link, once, while it lives. Whoever has the token is the player. */
export function portalRoutes(parts: PlayerPageParts): Hono<StubEnv> {
  const { platform, changes } = parts
  return new Hono<StubEnv>()
    .get('/links/:token', (context) => linkPage(context, parts, context.req.param('token')))
    .get('/links/:token/changes', (context) => {
      const { token } = context.req.param()
      return context.body(
        changes.stream(() => linkVersion(parts, token)),
        200,
        eventStreamHeaders,
      )
    })
    .post('/links/:token', async (context) => {
      if (isForeignPage(context.env.incoming, platform.publicUrl())) {
        return noticePage(context, 403, parts, { heading: texts.title, ...playerTexts.foreignOrigin })
      }
      try {
        const link = await platform.transact(() => confirmLink(platform, context.req.param('token')))
        return doneLinkPage(context, parts, link)
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        return deadLinkPage(context, parts, error)
      }
    })
}
