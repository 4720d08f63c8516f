import { webhookUrlOf } from '../webhook-url.ts'
import { callingByHttp } from './callers.ts'
import type { GameServer } from './game-server.ts'
import { type OrderPort, openOrderPort } from './order-port.ts'
import type { LaunchedAgent, RegisteredServer, Stage } from './stage.ts'

/** A game server that is one of several with one identity. Its agent is on a host of its own. */
export interface World extends GameServer, OrderPort {
  readonly name: string
  /** The name of the host, and of the agent on it. */
  readonly host: string
  readonly agent: LaunchedAgent
  readonly webhookUrl: string
  /** From now on its game server calls another agent. */
  callAt(agentUrl: string): void
}

/** What the agents of all hosts share. */
export interface Shared {
  readonly stage: Stage
  readonly server: RegisteredServer
  /** The address of the database. */
  readonly storeUrl: string
}

/** Starts the game server of a world, and its agent on a host. */
export async function startWorld(shared: Shared, name: string, host: string): Promise<World> {
  const port = await openOrderPort()
  const agent = await launchAgent(shared, host, { name, port })
  let call = callingByHttp(agent.url)
  return {
    ...port,
    name,
    host,
    agent,
    webhookUrl: webhookUrlOf(agent.logFile) ?? '',
    id: shared.server.id,
    call: (...request) => call(...request),
    callAt(agentUrl) {
      call = callingByHttp(agentUrl)
    },
    words: { order: `${name} gets the order and gives the item`, end: `${name} gets transaction_terminal` },
  }
}

/** Starts a second agent of a world. It stands by until the first one is dead. */
export function startSpare(shared: Shared, world: World, name: string): Promise<LaunchedAgent> {
  return launchAgent(shared, name, { name: world.name, port: world, isStandby: true })
}

function launchAgent(
  { stage, server, storeUrl }: Shared,
  agentName: string,
  world: { readonly name: string; readonly port: OrderPort; readonly isStandby?: boolean },
): Promise<LaunchedAgent> {
  return stage.launch({
    name: agentName,
    configFile: server.configFile,
    settings: {
      SERVICE_STORE_URL: storeUrl,
      SERVICE_AGENT_NAME: agentName,
      SERVICE_WORLD: world.name,
      ...world.port.settingsFor(agentName),
    },
    isStandby: world.isStandby ?? false,
  })
}
