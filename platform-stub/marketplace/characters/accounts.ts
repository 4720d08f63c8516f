import type { CharacterRow, CharacterState } from '../../store/character-rows.ts'
import type { Platform } from '../platform.ts'
import { type Refusal, refuse } from '../refusal.ts'

/**
 * Sets what is given of a character's state and leaves the rest. Being linked implies having an account.
 *
 * @returns The character, or ACCOUNT_NEEDED_BY_LINK: the account is taken from a character that is linked.
 * @see docs/decisions/0009
 */
export function setCharacter(
  platform: Platform,
  gameServerId: number,
  characterRef: string,
  changes: { readonly [Flag in keyof CharacterState]?: boolean | undefined },
): CharacterRow | Refusal {
  const { characters } = platform.tables
  const given = Object.entries(changes).filter(([, flag]) => flag !== undefined)
  const changed: CharacterRow = { ...characters.read(gameServerId, characterRef), ...Object.fromEntries(given) }
  if (changed.linked && changes.account === false) return refuse('ACCOUNT_NEEDED_BY_LINK')
  const row = { ...changed, account: changed.account || changed.linked }
  characters.write(gameServerId, characterRef, row)
  return row
}
