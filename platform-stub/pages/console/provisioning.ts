import type { Context } from 'hono'
import { Hono } from 'hono'
import type { StubEnv } from '../../http/framework.ts'
import { controlObstacle } from '../../http/origin.ts'
import { positiveInteger } from '../../http/positive-integer.ts'
import { agentEnv } from '../../marketplace/game-servers/agent-env.ts'
import { refuse } from '../../marketplace/refusal.ts'
import type { SharedParts } from './console-parts.ts'

/** The names of the key files, which are in one folder with `agent.env`. */
const keyFiles = { signingKey: 'signing-key.pem', platformKey: 'platform-public-key.pem' } as const

/**
 * The files of a game server's agent, to download. They contain its API key and its private key. So they are only for the
 * console and for programs on this machine, not for a link on another page.
 */
export function provisioningRoutes(parts: SharedParts): Hono<StubEnv> {
  return new Hono<StubEnv>().get('/:id/:file{.+\\.(env|pem)}', async (context: Context<StubEnv>) => {
    const { id = '', file = '' } = context.req.param()
    const obstacle = controlObstacle(context.env.request, parts.developerUrl())
    if (obstacle) throw refuse(obstacle)
    const text = await fileOf(parts, positiveInteger(id) ?? 0, file)
    if (!text) throw refuse('ROUTE_UNKNOWN')
    return context.body(text, 200, {
      'Content-Type': 'text/plain; charset=utf-8',
      'Content-Disposition': `attachment; filename="${file}"`,
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    })
  })
}

/** @returns Null for a file that the game server has not. @throws {Refusal} GAME_SERVER_UNKNOWN */
async function fileOf({ platform, directory, platformKey }: SharedParts, id: number, file: string) {
  const server = directory.byId(id)
  if (!server) throw refuse('GAME_SERVER_UNKNOWN')
  const key = platform.tables.gameServers.keyOf(id)
  if (file === keyFiles.signingKey) return key?.privateKeyPem
  const { kid: platformKeyKid, publicKeyPem } = await platformKey()
  if (file === keyFiles.platformKey) return publicKeyPem
  if (file !== 'agent.env') return null
  const credentials = { stubUrl: platform.publicUrl(), apiKey: server.apiKey, kid: key?.kid ?? '', platformKeyKid }
  return agentEnv(
    credentials,
    keyFiles,
    {},
    '# Start the agent in the folder of this file: the key files are named without one.\n',
  )
}
