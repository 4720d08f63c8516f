import { iso } from '../../clock/iso.ts'
import type { CharacterLinkRow } from '../../store/character-rows.ts'
import type { Platform } from '../platform.ts'
import { Refusal, refuse } from '../refusal.ts'

/**
 * Starts linking a character from the game's side. @see interface section 4.1
 *
 * @returns Data of the answer: the player confirms at `url` until `expiresAt`, once.
 */
export function startLink(
  platform: Platform,
  gameServerId: number,
  input: { readonly characterRef: string; readonly characterName?: string | undefined },
) {
  const { tables, clock, random, settings } = platform
  const id = tables.characters.nextLinkId()
  const createdAt = clock.nowMs()
  const expiresAt = createdAt + settings.linkExpiryMs
  const token = random.token('character-link', id)
  const { characterRef, characterName = null } = input
  tables.characters.insertLink({
    id,
    gameServerId,
    characterRef,
    characterName,
    token,
    createdAt,
    expiresAt,
    usedAt: null,
  })
  return { linkId: id, url: `${platform.publicUrl()}/portal/links/${token}`, expiresAt: iso(expiresAt) }
}

/**
 * The link of a token while it can be confirmed.
 *
 * @returns LINK_UNKNOWN, LINK_USED or LINK_EXPIRED where it cannot.
 */
export function openLink(platform: Platform, token: string): CharacterLinkRow | Refusal {
  const link = platform.tables.characters.linkByToken(token)
  if (!link) return refuse('LINK_UNKNOWN')
  if (link.usedAt !== null) return refuse('LINK_USED')
  if (link.expiresAt <= platform.clock.nowMs()) return refuse('LINK_EXPIRED')
  return link
}

/**
 * What the player does in the portal: the link is used up, the character linked to an account.
 *
 * @returns The link, or the refusals of `openLink`.
 */
export function confirmLink(platform: Platform, token: string): CharacterLinkRow | Refusal {
  const link = openLink(platform, token)
  if (link instanceof Refusal) return link
  const { characters } = platform.tables
  const known = characters.read(link.gameServerId, link.characterRef)
  const characterName = link.characterName ?? known.characterName
  characters.write(link.gameServerId, link.characterRef, { ...known, characterName, account: true, linked: true })
  characters.useLink(link.id, platform.clock.nowMs())
  return link
}
