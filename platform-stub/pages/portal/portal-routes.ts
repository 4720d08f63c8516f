import { Hono } from 'hono'
import type { StubEnv } from '../../developer/control/control-parts.ts'
import { isForeignPage } from '../../developer/control/guard.ts'
import { confirmLink } from '../../marketplace/characters/links.ts'
import { playerTexts, portalTexts as texts } from '../../marketplace/messages.ts'
import { refuse } from '../../marketplace/refusal.ts'
import { noticePage, type PlayerPageParts } from '../player-page.ts'
import { linkPage, linkVersion } from './portal-page.ts'

/** The player's page: confirms a character link, once, until it expires. The token stands for the player. */
export function portalRoutes(parts: PlayerPageParts): Hono<StubEnv> {
  const { platform, changes } = parts
  return new Hono<StubEnv>()
    .get('/links/:token', (context) =>
      linkPage(context, parts, context.req.param('token'), context.req.query('confirmed') !== undefined),
    )
    .get('/links/:token/changes', (context) => {
      const { token } = context.req.param()
      if (!platform.tables.characters.linkByToken(token)) throw refuse('ROUTE_UNKNOWN')
      return changes.stream(context, () => linkVersion(parts, token))
    })
    .post('/links/:token', (context) => {
      if (isForeignPage(context.env.incoming, platform.publicUrl())) {
        return noticePage(context, 403, parts, { heading: texts.title, ...playerTexts.foreignOrigin })
      }
      const { token } = context.req.param()
      // If it is refused, the page says why, because it reads the link again.
      platform.transact(() => confirmLink(platform, token))
      return context.redirect(`/portal/links/${token}?confirmed`, 303)
    })
}
