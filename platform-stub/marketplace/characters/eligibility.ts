import type { eligibilityBlockers, sellingBlockers } from '../../../contract/character.ts'
import type { CharacterState } from '../../store/character-rows.ts'
import { eligibilityTexts, type RefusalCode, sellingTexts } from '../messages.ts'

type SellingBlocker = (typeof sellingBlockers)[number]

const sellingActions: Readonly<Record<SellingBlocker, string>> = {
  ACCOUNT_MISSING: 'LINK_CHARACTER',
  SELLING_BLOCKED: 'CONTACT_SUPPORT',
  RECIPIENT_MISSING: 'CREATE_RECIPIENT',
}

/**
 * Data of GET eligibility: whether a character may list, and the first thing that prevents it. A hint, never a gate.
 *
 * @see interface section 2; docs/decisions/0009
 */
export function eligibilityOf(character: CharacterState) {
  const blockers = sellingBlockersOf(character)
  const [first] = blockers
  const blocker = blockerOf(character, first !== undefined)
  return {
    allowed: blocker === null,
    blocker,
    message: eligibilityTexts[blocker ?? 'allowed'],
    linked: character.linked,
    banned: character.banned,
    selling: {
      allowed: first === undefined,
      blockers,
      message: sellingTexts[first ?? 'allowed'],
      action: first ? sellingActions[first] : null,
    },
  }
}

function sellingBlockersOf(character: CharacterState): SellingBlocker[] {
  const blockers: SellingBlocker[] = []
  if (!character.account) blockers.push('ACCOUNT_MISSING')
  if (character.sellingBlocked) blockers.push('SELLING_BLOCKED')
  if (!character.recipientApproved) blockers.push('RECIPIENT_MISSING')
  return blockers
}

function blockerOf(character: CharacterState, isSellingBlocked: boolean): (typeof eligibilityBlockers)[number] | null {
  if (!character.linked) return 'NOT_LINKED'
  if (character.banned) return 'CHARACTER_BANNED'
  return isSellingBlocked ? 'SELLING_BLOCKED' : null
}

/** The first condition of a seller that is not met; undefined when the character may register. @see interface 4.2 */
export function sellerObstacle(character: CharacterState): Extract<RefusalCode, `SELLER_${string}`> | undefined {
  if (!character.account) return 'SELLER_ACCOUNT_MISSING'
  if (!character.linked) return 'SELLER_NOT_LINKED'
  if (character.banned) return 'SELLER_BANNED'
  if (character.sellingBlocked) return 'SELLER_BLOCKED'
  return character.recipientApproved ? undefined : 'SELLER_RECIPIENT_MISSING'
}
