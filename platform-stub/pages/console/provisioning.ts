import { Hono } from 'hono'
import type { StubEnv } from '../../developer/control/control-parts.ts'
import { positiveInteger } from '../../developer/control/control-request.ts'
import { controlObstacle } from '../../developer/control/guard.ts'
import { agentVariables } from '../../marketplace/game-servers/agent-env.ts'
import { refuse } from '../../marketplace/refusal.ts'
import type { GameServerRow, SigningKeyRow } from '../../store/game-server-rows.ts'
import type { ConsoleContext, ConsoleParts } from './console-parts.ts'

/** The names of the files, which are in one folder. */
const files = { signingKey: 'signing-key.pem', platformKey: 'platform-public-key.pem' } as const

/** The one key that a game server signs with. */
export function signingKeyOf({ platform }: ConsoleParts, gameServerId: number): SigningKeyRow | undefined {
  return platform.tables.gameServers.keyOf(gameServerId)
}

/**
 * The files of a game server's agent, to download. They contain its API key and its private key. So they are only for the
 * console and for programs on this machine, not for a link on another page.
 */
export function provisioningRoutes(parts: ConsoleParts): Hono<StubEnv> {
  const { platform, directory, platformKey, developerUrl } = parts
  const serverOf = (context: ConsoleContext): GameServerRow => {
    const obstacle = controlObstacle(context.env.incoming, developerUrl())
    if (obstacle) throw refuse(obstacle)
    const server = directory.byId(positiveInteger(context.req.param('id')) ?? 0)
    if (!server) throw refuse('GAME_SERVER_UNKNOWN')
    return server
  }
  const fileResponse = (context: ConsoleContext, name: string, text: string) =>
    context.body(text, 200, {
      'Content-Type': 'text/plain; charset=utf-8',
      'Content-Disposition': `attachment; filename="${name}"`,
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    })
  return new Hono<StubEnv>()
    .get('/:id/agent.env', async (context) => {
      const server = serverOf(context)
      const { kid = '' } = signingKeyOf(parts, server.id) ?? {}
      const { kid: platformKeyKid } = await platformKey()
      const credentials = { stubUrl: platform.publicUrl(), apiKey: server.apiKey, kid, platformKeyKid }
      const variables = agentVariables(credentials, files)
      const lines = [
        '# The key files are named without a folder: start the agent in the folder where they and this file lie.',
        ...Object.entries(variables).map(([name, value]) => `${name}=${value}`),
      ]
      return fileResponse(context, 'agent.env', `${lines.join('\n')}\n`)
    })
    .get(`/:id/${files.signingKey}`, (context) => {
      const privateKeyPem = signingKeyOf(parts, serverOf(context).id)?.privateKeyPem
      if (!privateKeyPem) throw refuse('ROUTE_UNKNOWN')
      return fileResponse(context, files.signingKey, privateKeyPem)
    })
    .get(`/:id/${files.platformKey}`, async (context) => {
      serverOf(context)
      return fileResponse(context, files.platformKey, (await platformKey()).publicKeyPem)
    })
}
