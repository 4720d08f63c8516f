import type { AgentState } from '../agent/model-outside.ts'
import type { ModelHost } from '../host.ts'
import type { Network } from '../network/network.ts'
import type { WorldParts } from '../simulation.ts'
import type { SharedStore } from './agent-program.ts'
import type { CallAccess } from './call-door.ts'
import type { Day } from './day.ts'
import type { GameWays } from './game/game-parts.ts'
import type { OrderDoor } from './game/take-orders.ts'
import type { ModelPlatform, Registration } from './model-platform.ts'
import type { Judge } from './promises/judge.ts'
import type { LateStocks } from './promises/late-stocks.ts'
import type { RecentWebhooks } from './recent-webhooks.ts'
import type { AgentWitness } from './witnessed.ts'

/** What the hosts of a world have in common. */
export interface Surroundings extends Pick<WorldParts, 'scheduler' | 'random'> {
  readonly network: Network
  readonly nowMs: () => number
  readonly platform: ModelPlatform
  readonly judge: Judge
  readonly day: Day
  readonly lateStocks: LateStocks
  readonly webhooks: RecentWebhooks
  /** By the name of the identity. */
  readonly registrations: Map<string, Registration>
}

/** An agent, and the game server that it works for. */
export interface AgentHostParts extends GameWays {
  readonly host: ModelHost
  /** Which identity of the platform it has. */
  readonly identity: string
  readonly orderDoor: OrderDoor
  readonly callAccess: CallAccess
  readonly state: AgentState
  readonly store?: SharedStore
  /** Whether it begins only when no other agent has its world. */
  readonly isStandby?: boolean
  readonly witness: Partial<AgentWitness>
  /** What else is promised while nothing is broken. */
  readonly alsoWhileCalm?: readonly CalmPromises[]
}

/** Promises about how long something lasts, while nothing is broken. */
export interface CalmPromises {
  check(): void
  /** Something is broken: all that lasts begins again. */
  reset(): void
}
