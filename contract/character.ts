import * as z from 'zod/mini'
import { characterRef, knownText, momentOf, name } from './fields.ts'

/** Body of POST /v1/api/character-links. */
export const characterLinkRequest = z.looseObject({
  characterRef,
  characterName: z.optional(name.check(z.describe("The character's name, as the player is shown it."))),
})

/** A single-use link that the player confirms while logged in to the portal. @see interface section 2 */
export const characterLink = z.looseObject({
  linkId: z.union([z.string(), z.int()]),
  url: name.check(z.describe('Where the player confirms, logged in, once.')),
  expiresAt: momentOf('Until when it can be confirmed.'),
})

/** Why a character may not list, in the order in which they are looked at. */
export const eligibilityBlockers = ['NOT_LINKED', 'CHARACTER_BANNED', 'SELLING_BLOCKED'] as const
export const sellingBlockers = ['ACCOUNT_MISSING', 'SELLING_BLOCKED', 'RECIPIENT_MISSING'] as const

const readyText = z.optional(z.nullable(z.string().check(z.describe('Brazilian Portuguese, ready to be shown.'))))

/** Seller eligibility: a hint, never a gate. @see interface section 2 */
export const eligibility = z.looseObject({
  allowed: z.boolean().check(z.describe('Whether the character may list items.')),
  blocker: z.optional(z.nullable(knownText('The first reason why it may not.', eligibilityBlockers))),
  message: readyText,
  linked: z.boolean().check(z.describe('Whether the character is linked to an account.')),
  banned: z.boolean().check(z.describe('Whether the character is banned.')),
  selling: z.looseObject({
    allowed: z.boolean().check(z.describe('Whether the account may sell.')),
    blockers: z.array(knownText('The reasons why it may not sell.', sellingBlockers)),
    message: readyText,
    action: z.optional(
      z.nullable(knownText('What the seller can do.', ['LINK_CHARACTER', 'CONTACT_SUPPORT', 'CREATE_RECIPIENT'])),
    ),
  }),
})
