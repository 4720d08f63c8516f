import { Hono } from 'hono'
import * as z from 'zod/mini'
import { characterRef as characterRefSchema, name } from '../../../contract/fields.ts'
import type { StubEnv } from '../../http/framework.ts'
import { parseFields } from '../../http/json-body.ts'
import { positiveInteger } from '../../http/positive-integer.ts'
import { setCharacter } from '../../marketplace/characters/accounts.ts'
import { registeredGameServer, registerGameServer, setWebhookUrl } from '../../marketplace/game-servers/register.ts'
import { orThrow, refuse } from '../../marketplace/refusal.ts'
import type { GameServerRow } from '../../store/game-server-rows.ts'
import type { ControlParts } from './control-parts.ts'
import { bodyOf, limitOf, textOrNull } from './control-request.ts'

const registration = z.strictObject({ name, webhookUrl: z.optional(z.unknown()), publicKeyPem: z.optional(name) })
const webhookChange = z.strictObject({ webhookUrl: z.unknown() })
const flag = z.optional(z.boolean())
const characterChange = z.strictObject({
  account: flag,
  linked: flag,
  banned: flag,
  sellingBlocked: flag,
  recipientApproved: flag,
})

/** What the platform's staff and the player's account would do: game servers and their characters. */
export function gameServerRoutes({ platform, directory, platformKey, schedule }: ControlParts): Hono<StubEnv> {
  const serverOf = (id: string): GameServerRow => {
    const server = directory.byId(positiveInteger(id) ?? 0)
    if (!server) throw refuse('GAME_SERVER_UNKNOWN')
    return server
  }
  return new Hono<StubEnv>()
    .get('/', async (context) => {
      const signingKey = await platformKey()
      const newest = directory.all().reverse().slice(0, limitOf(context))
      return context.json({ data: newest.map((server) => registeredGameServer(platform, server, signingKey)) })
    })
    .post('/', async (context) => {
      const { name, publicKeyPem, webhookUrl } = await bodyOf(context, registration)
      const asked = { name, publicKeyPem, webhookUrl: webhookUrl === undefined ? null : textOrNull(webhookUrl) }
      return context.json({ data: orThrow(await registerGameServer(platform, directory, await platformKey(), asked)) })
    })
    .put('/:id', async (context) => {
      const server = serverOf(context.req.param('id'))
      const { webhookUrl } = await bodyOf(context, webhookChange)
      orThrow(setWebhookUrl(platform, directory, server, textOrNull(webhookUrl)))
      schedule.wake()
      return context.body(null, 200)
    })
    .put('/:id/characters/:characterRef', async (context) => {
      const { id } = serverOf(context.req.param('id'))
      const { characterRef } = orThrow(
        parseFields(z.looseObject({ characterRef: characterRefSchema }), context.req.param()),
      )
      const changes = await bodyOf(context, characterChange)
      const character = orThrow(platform.transact(() => setCharacter(platform, id, characterRef, changes)))
      return context.json({ data: { characterRef, ...character } })
    })
}
