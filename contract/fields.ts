import * as z from 'zod/mini'

/** Non-empty text: names, and references that only the game server understands. */
export const name = z.string().check(z.minLength(1))
/** Game-server key of a listing: unique per game server, never reused. */
export const itemRef = z.string().check(z.minLength(1))
/** A character's key in the game. It is also a path segment, which `.` and `..` would leave. */
export const characterRef = z.string().check(z.minLength(1), z.regex(/^(?!\.\.?$)/))
/** A positive whole number: a quantity, or an identifier given by the platform. */
export const quantity = z.int().check(z.gte(1))
/** What the game server sees as available: 0 is sold out. */
export const observation = z.int().check(z.gte(0))
/** A price in BRL cents. */
export const money = z.int().check(z.gte(1))
/** ISO-8601, UTC. */
export const timestamp = z.string().check(z.minLength(1), z.meta({ format: 'date-time' }))
