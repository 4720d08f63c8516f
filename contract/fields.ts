import * as z from 'zod/mini'

// The texts of `z.describe` go into JSON Schema: `GET /operations` of the agent, OpenAPI of the stub.

/** Non-empty text: names, and references that only the game server understands. */
export const name = z.string().check(z.minLength(1))
/** Game-server key of a listing: unique per game server, never reused. */
export const itemRef = z
  .string()
  .check(z.minLength(1), z.describe('Game-server key of the listing: unique per game server, never reused.'))
/** A character's key in the game. It is also a path segment, which `.` and `..` would leave. */
export const characterRef = z
  .string()
  .check(z.minLength(1), z.regex(/^(?!\.\.?$)/), z.describe("The character's key in the game; not `.` or `..`."))
/** A positive whole number: a quantity, or an identifier given by the platform. */
export const quantity = z.int().check(z.gte(1))
/** Identifier of a transaction. */
export const transactionId = quantity.check(z.describe('Identifier of the transaction.'))
/** What is left for further buyers. @see docs/decisions/0040 */
export const observation = z
  .int()
  .check(
    z.gte(0),
    z.describe(
      'How many units are left for further buyers. Units of paid orders that you have not delivered yet are not counted, the units of this order included. 0 is sold out.',
    ),
  )
/** A price in BRL cents. */
export const money = z.int().check(z.gte(1), z.describe('Price of one unit in BRL cents.'))
/** ISO-8601, UTC. */
const timestamp = z.string().check(z.minLength(1), z.meta({ format: 'date-time' }))
/** A moment and what it is the moment of. */
export const momentOf = (description: string) => timestamp.check(z.describe(description))
/** A text with known values. The platform may have more, so do not expect only these. */
export const knownText = (description: string, values: readonly string[]) =>
  name.check(z.meta({ description, examples: values }))

const iso8601 = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/

/** As `momentOf`, and it is a date that can be read. */
export const readableMomentOf = (description: string) =>
  momentOf(description).check(z.refine((text) => iso8601.test(text) && !Number.isNaN(Date.parse(text))))
