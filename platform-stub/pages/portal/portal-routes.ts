import { Hono } from 'hono'
import { confirmLink } from '../../marketplace/characters/links.ts'
import { playerTexts, portalTexts as texts } from '../../partner-api/messages.ts'
import { Refusal } from '../../partner-api/refusal.ts'
import type { StubEnv } from '../../server/environment.ts'
import { isForeignPage } from '../../server/origin.ts'
import { eventStreamHeaders } from '../changes.ts'
import { noticePage, type PlayerPageParts } from '../player-page.ts'
import { deadLinkPage, doneLinkPage, linkPage, linkVersion } from './portal-page.ts'

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
