import * as z from 'zod/mini'
import { characterRef, itemRef, name, observation, quantity } from '../../../contract/fields.ts'
import { listingRegistration } from '../../../contract/listing.ts'
import { momentMsOf } from '../../clock/iso.ts'
import { partnerFault } from '../../faults/partner-fault.ts'
import { webhookFault } from '../../faults/webhook-fault.ts'
import { httpUrlOf } from '../../marketplace/game-servers/register.ts'

const secondsAgoMax = 10 * 365 * 86_400
const secondsAgo = (description: string) =>
  z._default(z.int().check(z.gte(0), z.lte(secondsAgoMax), z.describe(description)), 0)
const flag = (description: string) => z.optional(z.boolean().check(z.describe(description)))

const character = z
  .strictObject({
    account: flag('Has an account at the platform.'),
    linked: flag('Is linked to that account, which it then has.'),
    banned: flag('Is banned.'),
    sellingBlocked: flag('May not sell.'),
    recipientApproved: flag('Has an approved payout recipient.'),
  })
  .check(z.describe('State of a character when the stub starts. A seller that is not described may sell.'))

const listing = z.strictObject({
  ...listingRegistration.def.shape,
  observed: z.optional(
    z
      .strictObject({ quantity: observation, secondsAgo: secondsAgo('How long ago it was seen.') })
      .check(z.describe('The last observation of the game server; without it there is none.')),
  ),
  withdrawn: flag('Is withdrawn, after everything else that the scenario says about it.'),
})

const bought = {
  itemRef,
  quantity,
  buyerCharacterRef: characterRef,
  secondsAgo: secondsAgo('How long ago the transaction came into its phase.'),
}

/** `failed` is missing: the refund follows it at once. */
const transaction = z.discriminatedUnion('phase', [
  z.strictObject({
    ...bought,
    phase: z.enum([
      'awaiting-payment',
      'awaiting-server',
      'delivered',
      'completed',
      'refunded-after-failure',
      'expired',
      'cancelled',
    ]),
  }),
  z.strictObject({
    ...bought,
    phase: z.enum(['disputed', 'refunded-after-dispute']),
    delivered: flag('Was delivered before it was disputed.'),
  }),
])
/** A transaction, by its phase. */
export type ScenarioTransaction = z.infer<typeof transaction>
/** The phases in which a transaction can stay. */
export type ScenarioPhase = ScenarioTransaction['phase']

const gameServer = z.strictObject({
  name,
  webhookUrl: z.optional(
    z.string().check(
      z.refine((text) => httpUrlOf(text) !== undefined, {
        params: { wanted: 'an http or https address such as "http://127.0.0.1:9000/webhook"' },
      }),
      z.meta({ description: 'Where its webhooks go; without it they wait for an address.', format: 'uri' }),
    ),
  ),
  out: z.optional(
    name.check(
      z.describe(
        'Folder for agent.env, signing-key.pem and platform-public-key.pem, made if missing; relative to where the stub is started. An existing signing key is kept.',
      ),
    ),
  ),
  characters: z._default(z.record(characterRef, character), {}),
  listings: z._default(z.array(listing), []),
  transactions: z._default(
    z.array(transaction).check(z.describe('Numbered from 1 in the order of their creation, across game servers.')),
    [],
  ),
})
/** A game server and all that belongs to it. */
export type ScenarioGameServer = z.infer<typeof gameServer>

/** A state to start the stub in, as `serve --scenario` reads it. @see docs/decisions/0018 */
export const scenario = z
  .strictObject({
    $schema: z.optional(z.string().check(z.describe('For editors; the stub ignores it.'))),
    clock: z.optional(
      z.strictObject({
        now: z.string().check(
          z.refine((text) => momentMsOf(text) !== undefined, {
            params: { wanted: 'a moment in UTC such as "2031-05-06T07:08:09Z"' },
          }),
          z.meta({ description: "The stub's time at the start, from which it runs on.", format: 'date-time' }),
        ),
      }),
    ),
    gameServers: z.array(gameServer),
    faults: z._default(z.array(partnerFault).check(z.describe('As POST /stub/faults takes them.')), []),
    webhookFaults: z._default(z.array(webhookFault).check(z.describe('As POST /stub/webhook-faults takes them.')), []),
  })
  .check(z.describe('A state to start platform-stub in: platform-stub serve --scenario FILE'))
/** The same as it is read: what may be left out is filled in. */
export type Scenario = z.infer<typeof scenario>
