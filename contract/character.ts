import * as z from 'zod/mini'
import { characterRef, name, timestamp } from './fields.ts'

/** Body of POST /v1/api/character-links. */
export const characterLinkRequest = z.looseObject({ characterRef, characterName: z.optional(name) })

/** A single-use link that the player confirms while logged in to the portal. @see interface section 2 */
export const characterLink = z.looseObject({
  linkId: z.union([z.string(), z.int()]),
  url: name,
  expiresAt: timestamp,
})

/** Why a character may not list, in the order in which they are looked at. */
export const eligibilityBlockers = ['NOT_LINKED', 'CHARACTER_BANNED', 'SELLING_BLOCKED'] as const
export const sellingBlockers = ['ACCOUNT_MISSING', 'SELLING_BLOCKED', 'RECIPIENT_MISSING'] as const

/** Seller eligibility: a hint, never a gate. @see interface section 2 */
export const eligibility = z.looseObject({
  allowed: z.boolean(),
  blocker: z.optional(z.nullable(name)),
  message: z.optional(z.nullable(z.string())),
  linked: z.boolean(),
  banned: z.boolean(),
  selling: z.looseObject({
    allowed: z.boolean(),
    blockers: z.array(z.string()),
    message: z.optional(z.nullable(z.string())),
    action: z.optional(z.nullable(z.string())),
  }),
})
