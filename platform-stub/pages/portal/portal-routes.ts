import { type Context, Hono } from 'hono'
import { html } from 'hono/html'
import { iso } from '../../clock/iso.ts'
import type { StubEnv } from '../../http/framework.ts'
import { confirmLink, openLink } from '../../marketplace/characters/links.ts'
import { portalTexts as texts } from '../../marketplace/messages.ts'
import { Refusal, refuse } from '../../marketplace/refusal.ts'
import type { CharacterLinkRow } from '../../store/character-rows.ts'
import { duration } from '../browser/moments.js'
import type { Html } from '../document.ts'
import { shortMoment } from '../formats.ts'
import { icon, notice } from '../parts.ts'
import { foreignForm, noticePage, type PlayerPageParts, playerPage } from '../player-page.ts'

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
      return changes.stream(() => linkVersion(parts, token))
    })
    .post('/links/:token', (context) => {
      const refusal = foreignForm(context, parts, texts.title)
      if (refusal) return refusal
      const { token } = context.req.param()
      // If it is refused, the page says why, because it reads the link again.
      platform.transact(() => confirmLink(platform, token))
      return context.redirect(`/portal/links/${token}?confirmed`, 303)
    })
}

/**
 * The link, and the button that confirms it; or the reason why it cannot be confirmed.
 *
 * @param isConfirmed The player has just pressed the button: a used link is then a success.
 */
function linkPage(context: Context<StubEnv>, parts: PlayerPageParts, token: string, isConfirmed: boolean) {
  const { platform } = parts
  const link = openLink(platform, token)
  if (link instanceof Refusal) {
    const used = isConfirmed && link.code === 'LINK_USED' ? platform.tables.characters.linkByToken(token) : undefined
    return used ? doneLinkPage(context, parts, used) : deadLinkPage(context, parts, link)
  }
  const leftMs = link.expiresAt - platform.clock.nowMs()
  return playerPage(context, 200, parts, {
    title: texts.title,
    live: { stream: `/portal/links/${token}/changes`, version: linkVersion(parts, token) },
    content: html`<section class="card stack lone" aria-labelledby="question">
      <h2 id="question">${texts.question}</h2>
      ${bond(parts, link)}
      <p>${texts.explanation}</p>
      <form method="post" action="/portal/links/${token}"><button class="button first wide">${texts.confirm}</button></form>
      <p class="soft">${texts.timeLeft} <time role="timer" datetime="${iso(link.expiresAt)}" data-shows="words">${duration(leftMs, 'pt-BR')}</time> (${texts.until} ${shortMoment(link.expiresAt)}).</p>
      <p class="soft">${texts.notYou}</p>
    </section>`,
  })
}

/** What the player reads after confirming. */
function doneLinkPage(context: Context<StubEnv>, parts: PlayerPageParts, link: CharacterLinkRow) {
  return playerPage(context, 200, parts, {
    title: texts.title,
    live: null,
    content: html`<section class="card stack lone">${notice('good', 'check', texts.done, 'status')}${bond(parts, link)}</section>`,
  })
}

/** A link that cannot be confirmed, and why. */
function deadLinkPage(context: Context<StubEnv>, parts: PlayerPageParts, { code, status, message }: Refusal) {
  const known = Object.hasOwn(texts.dead, code) ? texts.dead[code as keyof typeof texts.dead] : undefined
  return noticePage(context, status, parts, { heading: texts.title, ...(known ?? { title: message, text: '' }) })
}

/** Names what the page of a link shows. */
function linkVersion({ platform, clock }: PlayerPageParts, token: string): string {
  const link = openLink(platform, token)
  return `${link instanceof Refusal ? link.code : 'open'}.${clock.offsetMs}`
}

/** The character and the account. */
function bond({ directory }: PlayerPageParts, link: CharacterLinkRow): Html {
  const { characterName, characterRef, gameServerId } = link
  return html`<div class="bond">
    <div class="notice">
      ${icon('shield')}
      <dl>
        <dt>${texts.character}</dt><dd>${characterName ?? characterRef}</dd>
        ${characterName ? html`<dt>${texts.characterRef}</dt><dd>${characterRef}</dd>` : ''}
        <dt>${texts.gameServer}</dt><dd>${directory.byId(gameServerId)?.name}</dd>
      </dl>
    </div>
    <span class="tie">${icon('link')}</span>
    <div class="notice">
      ${icon('user')}
      <dl><dt>${texts.account}</dt><dd>${texts.accountName}</dd></dl>
    </div>
  </div>`
}
